//! The pack that comes with the program: it compiles, and its personas keep what it promises of them.

use cuebook_layers::{Snapshot, Tier, bundled};
use cuebook_template::pongo::Settings;
use serde_json::{Value as Json, json};

use crate::support::{alone, copy, pack_layer, render_with};

const AGENTS: [&str; 5] = ["implementer", "explorer", "reviewer", "planner", "coordinator"];

/// The bytes that a persona, and a text of a moment, may have; see `host/prompt-budgets.yaml` of the pack.
const PERSONA: usize = 6000;
const MOMENT: usize = 1200;

fn pack() -> Snapshot {
    let packs = bundled();
    let (label, tree) = packs.first().expect("a pack");
    alone(pack_layer(label, tree))
}

/// Everything that a persona may be given.
fn full() -> Json {
    let tools = ["read", "list_dir", "grep", "write", "command", "verify", "wait", "ask_user"];
    let mut values = json!({
        "role_title": "Role", "focus": "One thing.", "process": "1. First.\n2. Then.",
        "playbook_checklist": ["It is done.", "It was checked."],
        "agent_tools": tools.map(|name| json!({"name": name})),
        "profile_has_write_tools": true, "write_globs": ["src/**", "docs/**"], "reject_codes": ["A", "B"],
        "max_concurrent_tool_calls": 4, "max_tool_loops": 30, "worker_read_line_limit": 400,
        "worker_summary_max_chars": 2000, "max_in_flight": 3, "verify_command": "make check",
        "units": {"orientation": "Unit O.", "conduct": "Unit C.", "evidence": "Unit E.",
            "execution": "Unit X.", "procedures": "Unit P."},
        "workers": [{"id": "explorer", "description": "Looks."}, {"id": "implementer"}],
        "workers_omitted_count": 2, "execution_mode": "orchestrate",
    });
    for name in tools {
        values[format!("profile_has_{name}")] = json!(true);
    }
    values
}

fn text(snapshot: &Snapshot, name: &str, values: Json) -> String {
    let settings = Settings { strict: true, ..Settings::default() };
    match render_with(snapshot, name, values, &settings) {
        Ok(text) => text,
        Err(problems) => panic!("{name}: {}", problems[0]),
    }
}

fn lines_with(text: &str, line: &str) -> usize {
    text.lines().filter(|it| *it == line).count()
}

#[test]
fn every_template_compiles_without_a_warning() {
    let snapshot = pack();
    assert!(snapshot.references().len() > 30);
    for reference in snapshot.references() {
        match snapshot.program(reference.as_str()) {
            Ok(program) => assert!(program.warnings().is_empty(), "{reference}: {:?}", program.warnings()),
            Err(problems) => panic!("{reference}: {}", problems[0]),
        }
    }
}

#[test]
fn every_persona_has_each_heading_and_each_slot_once() {
    let snapshot = pack();
    for agent in AGENTS {
        let text = text(&snapshot, &format!("agents/{agent}.md"), full());
        for heading in ["# Role", "## Focus", "## Process", "## Tools", "## Finish", "## Non-goals"] {
            assert_eq!(lines_with(&text, heading), 1, "{agent}: {heading}\n{text}");
        }
        for slot in ["Unit O.", "Unit C.", "Unit E.", "Unit X.", "Unit P."] {
            assert_eq!(lines_with(&text, slot), 1, "{agent}: {slot}\n{text}");
        }
        assert!(text.len() <= PERSONA, "{agent}: {} bytes", text.len());
    }
}

#[test]
fn a_persona_without_tools_or_units_says_so_and_asks_for_nothing() {
    let values = json!({"role_title": "Role", "focus": "One thing.", "process": "1. First."});
    for agent in AGENTS {
        let text = text(&pack(), &format!("agents/{agent}.md"), values.clone());
        assert!(text.contains("You have no tools in this task."), "{text}");
        assert!(!text.contains("`read`"), "{text}");
        assert!(!text.trim_end().contains("\n\n\n"), "{agent} has two blank lines in a row:\n{text}");
    }
}

#[test]
fn only_those_who_may_write_are_told_how() {
    let snapshot = pack();
    let has = |agent: &str, part: &str| text(&snapshot, &format!("agents/{agent}.md"), full()).contains(part);
    assert!(has("implementer", "A change is done when `verify` has passed"));
    for agent in ["explorer", "reviewer", "planner", "coordinator"] {
        assert!(has(agent, "- Do not change anything."), "{agent}");
        assert!(!has(agent, "## Changing files"), "{agent}");
    }
    assert!(has("coordinator", "- `explorer`: Looks.\n- `implementer`\n- and 2 more"));
    for agent in ["explorer", "reviewer"] {
        assert!(!has(agent, "You may write only"), "{agent}");
    }
    assert!(has("reviewer", "Your findings are advice."));
}

#[test]
fn a_hand_off_takes_its_focus_from_a_value() {
    let snapshot = pack();
    let check = |values: Json, expect: &str| {
        let text = text(&snapshot, "partials/finish-handoff.md", values);
        let begin: Vec<&str> = text.lines().take(3).collect();
        assert_eq!(begin[0], "## Finish");
        assert!(begin[2].starts_with(expect), "{text}");
    };
    check(json!({"focus": "triage"}), "Focus of this hand-off: triage. Sort");
    check(json!({"focus": "cost"}), "Focus of this hand-off: cost.");
    check(json!({"focus": "cost", "role_title": "Role"}), "End with one of three outcomes");
    check(json!({}), "End with one of three outcomes");
}

/// A moment, its facts, and what its text says.
fn moments() -> Vec<(&'static str, Json, &'static str)> {
    vec![
        (
            "run-began",
            json!({"run_id": "r1", "workflow_id": "w", "workflow_version": "1.0.0", "inputs": ["topic", "tone"]}),
            "Run `r1` of workflow `w`, version 1.0.0, has begun.\n\nIt was given: topic, tone.\n",
        ),
        ("run-began", json!({"run_id": "r1", "resumed": true}), "Run `r1` goes on after an interruption."),
        (
            "node-retried",
            json!({"node_id": "n", "attempt": 2, "max_attempts": 3, "error": {"code": "timeout", "message": "too slow"}}),
            "attempt 2 of 3.\n\nThe failure was `timeout`: too slow\n\nDo not repeat what led there. Begin with the cause",
        ),
        (
            "node-retried",
            json!({"node_id": "n", "attempt": 3, "max_attempts": 3}),
            "This is the last attempt",
        ),
        (
            "run-cancelled",
            json!({"run_id": "r1", "reason": "not needed", "finished_nodes": ["a", "b"], "open_nodes": ["c"]}),
            "cancelled: not needed. Start nothing new.\n\nFinished before that: `a`, `b`.\n\nLeft unfinished: `c`.\n",
        ),
        (
            "interrupt-raised",
            json!({"node_id": "n", "kind": "low-confidence", "confidence": "0.4", "threshold": "0.7",
            "question": "Which?", "choices": ["this", "that"]}),
            "certain enough (0.4 where 0.7 is needed).\n\nThe question is: Which?\n\n1. this\n2. that\n\nWork that",
        ),
        (
            "interrupt-answered",
            json!({"node_id": "n", "question": "Which?", "answer": "that", "note": "soon"}),
            "Asked: Which?\n\nAnswer: that\n\nThey added: soon\n\nThe answer settles",
        ),
        ("interrupt-answered", json!({"node_id": "n"}), "Answer: none was given"),
        (
            "prompt-changed-on-resume",
            json!({"node_id": "n", "changes": [{"ref": "agents/a.md", "before": "1", "after": "2"}]}),
            "The ones you have now count.\n\n- `agents/a.md`: 1 became 2\n\nWhat was decided",
        ),
        (
            "budget-low",
            json!({"budget": "tool", "remaining": 3, "limit": 40, "unit": "rounds"}),
            "The tool budget is nearly used up. Left: 3 of 40 rounds.\n\nFinish the step",
        ),
        ("budget-low", json!({"remaining": 1}), "used up. Left: 1.\n\nWrite the hand-off now."),
    ]
}

#[test]
fn a_moment_is_told_from_its_facts_alone() {
    let snapshot = pack();
    for (moment, facts, expect) in moments() {
        let text = text(&snapshot, &format!("guidance/{moment}.md"), facts);
        assert!(text.contains(expect), "{moment}:\n{text}");
        assert!(text.len() <= MOMENT, "{moment}: {} bytes", text.len());
    }
}

#[test]
fn an_override_with_the_same_bytes_changes_no_text() {
    let packs = bundled();
    let (label, tree) = packs.first().expect("a pack");
    let below = pack_layer(label, tree);
    let over = copy(&below, Tier::Project, "project");
    let plain = pack();
    let covered = Snapshot::new(vec![over], std::sync::Arc::clone(plain.catalog()), Vec::new());
    for agent in AGENTS {
        let name = format!("agents/{agent}.md");
        assert_eq!(text(&covered, &name, full()), text(&plain, &name, full()), "{agent}");
    }
    assert_ne!(covered.revision(), plain.revision());
}
