//! The tests of `cuebook-layers` from outside, one module a subject.

mod catalog;
mod overrides;
