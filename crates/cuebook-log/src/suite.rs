//! The promises of the ports, as tests that every store must pass.
//!
//! Each promise is an async function over a [`Fixture`]; it panics, as a test does, when the store breaks the promise.
//! [`store_suite!`](crate::store_suite) makes one test of each, and [`history`] holds random histories against a model.
//! The module refuses to assert how long anything takes, and what only one kind of store can promise.
//!
//! ```
//! # fn main() {}
//! use std::sync::Arc;
//! use cuebook_log::MemoryStore;
//!
//! fn fixture() -> Arc<MemoryStore> {
//!     Arc::new(MemoryStore::new())
//! }
//!
//! cuebook_log::store_suite!(fixture);
//! ```

#![expect(
    clippy::missing_panics_doc,
    reason = "every promise panics when it is broken, which is said once above"
)]

pub mod agenda;
pub mod append;
pub mod blobs;
pub mod checkpoints;
pub mod concurrency;
pub mod definitions;
pub mod durability;
pub mod history;
pub mod inbox;
pub mod index;
mod model;
pub mod prompts;
pub mod read;
pub mod requests;
pub mod retention;
mod support;
pub mod tenancy;
pub mod values;
pub mod visibility;
pub mod watch;
pub mod writers;

use std::sync::Arc;

use crate::ports::RunStore;

/// A place where one store keeps its data, empty at first.
pub trait Fixture {
    /// Opens the store on that place, as a process does that starts anew: what was durable before is there.
    ///
    /// The suite drops every handle it has on the store before it opens it again.
    fn open(&self) -> impl Future<Output = Arc<dyn RunStore>>;
}

/// A store that cannot be closed: opening it gives the same one.
impl<S: RunStore + 'static> Fixture for Arc<S> {
    async fn open(&self) -> Arc<dyn RunStore> {
        Arc::<S>::clone(self)
    }
}

/// Makes one `tokio` test of every promise; `$make` names a function in scope that gives a new `Fixture`.
///
/// The crate that uses it needs `tokio` with `macros` and `rt-multi-thread`.
#[macro_export]
macro_rules! store_suite {
    ($make:ident) => {
        $crate::store_suite! { @promises $make;
            append {
                sequences_are_dense_from_zero
                an_append_expects_the_next_sequence
                records_are_numbered_within_their_batch
                nothing_follows_a_terminal_event
                a_terminal_event_is_the_last_of_its_batch
                a_batch_speaks_of_its_own_run
                a_refused_batch_changes_nothing
                refusals_have_one_order
                a_batch_of_any_size_is_whole
                a_batch_without_records_takes_note_of_signals
                a_call_that_is_not_awaited_does_nothing
                a_dropped_append_is_whole_or_nothing
            }
            writers {
                a_run_is_opened_as_new_once
                taking_over_shuts_out_earlier_writers
                an_ended_run_can_be_taken_over
                one_of_many_openers_wins
                every_takeover_has_its_own_epoch
                a_takeover_holds_while_others_write
            }
            concurrency {
                many_writers_append_to_runs_of_their_own
                many_writers_append_to_one_run
                one_of_many_equal_batches_wins
                a_refused_batch_spoils_no_other
            }
            read {
                pages_are_cut_by_start_and_limit
                pages_make_up_the_log
                a_run_without_records_reads_empty
            }
            visibility {
                an_append_is_visible_when_it_returns
                readers_see_whole_batches_in_order
                log_index_and_inbox_move_together
            }
            watch {
                a_watch_begins_at_the_present
                records_wake_every_watcher
                an_accepted_signal_wakes_without_a_new_sequence
                nothing_else_wakes
                runs_do_not_wake_each_other
                a_watch_is_never_ahead_of_the_log
            }
            inbox {
                signals_wait_oldest_first
                a_key_is_accepted_once_for_ever
                keys_are_exact_and_of_one_run
                consuming_takes_the_named_signals_only
                a_key_that_does_not_wait_is_passed_over
                signals_wait_before_the_first_record_and_after_the_last
                bodies_come_back_exactly
                one_of_many_equal_offers_is_accepted
                many_senders_keep_their_order
                an_inbox_takes_what_it_has_room_for
                one_of_many_gets_the_last_place
            }
            index {
                the_entry_is_that_of_the_last_batch
                runs_are_listed_newest_first
                runs_of_one_start_are_listed_by_descending_id
                a_list_is_cut_by_its_limit
                a_list_is_of_the_statuses_asked_for
                a_run_without_a_batch_is_not_listed
            }
            tenancy {
                an_unknown_run_is_refused_by_every_call
                another_tenants_run_does_not_exist
                one_run_id_lives_in_two_tenants
                tenant_and_run_are_separate_keys
                ids_are_compared_byte_by_byte
                workspaces_of_a_tenant_share_its_runs
            }
            blobs {
                texts_come_back_by_their_hash
                storing_twice_is_storing_once
                blobs_belong_to_their_tenant
                one_text_is_stored_by_many_at_once
            }
            definitions {
                a_definition_comes_back_as_it_was_given
                registering_again_replaces
                definitions_belong_to_their_tenant
                pages_of_definitions_make_up_the_list
                definitions_are_there_after_opening_anew
            }
            requests {
                a_request_is_done_once
                another_body_is_a_mismatch
                requests_are_kept_apart
                an_attempt_may_end_without_an_answer
                what_another_owner_began_is_taken_over
                an_answer_stands
                keys_are_forgotten_by_their_age
                one_of_many_equal_claims_wins
                requests_are_there_after_opening_anew
            }
            prompts {
                a_version_comes_back_as_it_was_put
                the_latest_is_the_highest_release
                a_version_is_put_once
                one_of_many_equal_versions_is_kept
                a_new_version_is_above_all_others
                a_replacement_names_what_it_replaces
                the_same_request_finds_its_own_version
                removed_versions_are_kept_for_those_who_name_them
                removals_are_told_apart
                an_import_is_whole_or_nothing
                shelves_share_nothing
                pages_of_prompts_make_up_the_list
                prompts_are_there_after_opening_anew
            }
            agenda {
                runs_are_unfinished_from_their_first_batch_to_their_last
                a_run_is_due_as_its_last_batch_said
                a_waiting_signal_is_told
                timed_runs_are_due_earliest_first
                pages_of_the_agenda_make_up_the_whole
                the_agenda_is_there_after_opening_anew
            }
            checkpoints {
                the_latest_checkpoint_is_kept
                a_checkpoint_can_be_deleted
                checkpoints_belong_to_their_run
                checkpoints_are_there_after_opening_anew
            }
            retention {
                a_removed_run_has_never_been
                an_unfinished_run_is_never_removed
                runs_expire_by_age_number_and_status
                pages_of_finished_runs_make_up_the_list
                what_a_fork_needs_stays
                a_body_stays_as_long_as_it_is_held
                a_refused_batch_holds_nothing
                a_removed_template_stays_as_long_as_it_is_held
                a_sweep_takes_small_steps
                tenants_are_found_in_order
                a_scope_has_the_runs_that_have_not_ended
                a_run_goes_as_a_whole
                removals_are_there_after_opening_anew
            }
            values {
                values_come_back_exactly
                no_private_part_is_not_null
                every_field_of_an_event_comes_back
                large_records_come_back
                nested_values_come_back_or_are_refused
            }
            durability {
                what_was_acknowledged_is_there_after_opening_anew
                writers_go_on_after_opening_anew
                an_ended_run_stays_ended
                a_watch_goes_on_after_opening_anew
            }
        }
    };
    (@promises $make:ident; $($module:ident { $($promise:ident)+ })+) => {
        $(
            mod $module {
                use super::$make;
                $(
                    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                    async fn $promise() {
                        $crate::suite::$module::$promise(&$make()).await;
                    }
                )+
            }
        )+
    };
}
