//! The fuzz targets over their corpora and over seeded mutations of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use end_to_end::fuzz::{TARGETS, Target};
use games::Cases;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Bytes of the longest input; libFuzzer's own limit is smaller still.
const LONGEST: usize = 100_000;

/// What is put between the bytes of an input.
const WORDS: [&[u8]; 14] = [
    b"\0",
    b"\xff",
    b"\n",
    b"\r\n",
    b"\"",
    b"{",
    b"[[[[[[[[",
    b"]",
    b"-1",
    b"0",
    b"1e999",
    b"18446744073709551615",
    b"\xf0\x9f\x80\x80",
    b",",
];

/// Runs a target; gives the name of a file with the input if it panics.
fn finding(target: &Target, input: &[u8]) -> Option<String> {
    let run = AssertUnwindSafe(|| (target.run)(input));
    catch_unwind(run).err()?;
    let path = std::env::temp_dir().join(format!("taikyoku-fuzz-{}", target.name));
    std::fs::write(&path, input).expect("room for the input");
    let (name, path) = (target.name, path.display());
    Some(format!(
        "{name}: {path}; when it is mended, keep the file in tests/fuzz/corpus/{name}/"
    ))
}

fn mutation(corpus: &[(String, Vec<u8>)], rng: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let any = |rng: &mut Xoshiro256PlusPlus| &corpus[rng.random_range(0..corpus.len())].1;
    let mut input = any(rng).clone();
    for _ in 0..rng.random_range(1..5) {
        let at = rng.random_range(0..=input.len());
        let end = (at + rng.random_range(0..64)).min(input.len());
        match rng.random_range(0..7) {
            0 if at < input.len() => input[at] ^= 1 << rng.random_range(0..8),
            1 if at < input.len() => input[at] = rng.random(),
            2 => input.truncate(at),
            3 => drop(input.drain(at..end)),
            4 => {
                let twice = input[at..end].to_vec();
                input.splice(at..at, twice);
            }
            5 => {
                let other = any(rng);
                let from = rng.random_range(0..=other.len());
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            _ => {
                let word = WORDS[rng.random_range(0..WORDS.len())];
                input.splice(at..at, word.iter().copied());
            }
        }
    }
    input.truncate(LONGEST);
    input
}

/// With `TAIKYOKU_FUZZ=N` there are N times as many mutations.
#[test]
fn corpora_and_their_mutations_harm_nobody() {
    let times: u64 =
        std::env::var("TAIKYOKU_FUZZ").map_or(1, |times| times.parse().expect("a number"));
    let run = |target: &Target| {
        let corpus = target.corpus();
        let of_corpus = corpus.iter().find_map(|(name, input)| {
            finding(target, input).map(|found| format!("{found} ({name})"))
        });
        of_corpus.or_else(|| {
            let mut cases = Cases::new(times * u64::from(target.mutations));
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(cases.left().start);
            cases.find_map(|_| finding(target, &mutation(&corpus, &mut rng)))
        })
    };
    let findings: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> = TARGETS
            .iter()
            .map(|target| scope.spawn(move || run(target)))
            .collect();
        let join = |thread: thread::ScopedJoinHandle<'_, Option<String>>| {
            thread.join().expect("findings are caught")
        };
        threads.into_iter().filter_map(join).collect()
    });
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}
