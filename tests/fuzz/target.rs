//! The program of every fuzz target: it runs the one whose name it has.

#![no_main]

use std::sync::LazyLock;

use end_to_end::fuzz::{TARGETS, Target};
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let mut targets = TARGETS.iter();
    let own = targets.find(|target| target.name == env!("CARGO_BIN_NAME"));
    own.expect("a program for each target")
});

fuzz_target!(|input: &[u8]| (TARGET.run)(input));
