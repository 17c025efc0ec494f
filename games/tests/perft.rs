//! The reader of the files of perft counts in `games/perft`: a line is a position, a semicolon and the
//! counts of depths 1, 2, ...

pub(crate) struct Case<P> {
    pub(crate) line: usize,
    pub(crate) position: P,
    pub(crate) counts: Vec<u64>,
}

/// All lines that are neither empty nor comments; at least `fewest`, each with `shallowest` counts or
/// more.
pub(crate) fn cases<P>(
    text: &str,
    [fewest, shallowest]: [usize; 2],
    position: impl Fn(&str) -> P,
) -> Vec<Case<P>> {
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let cases: Vec<Case<P>> = lines
        .map(|(i, line)| {
            let (setup, counts) = line.split_once(';').expect("position ; counts");
            let counts = counts.split_whitespace();
            Case {
                line: i + 1,
                position: position(setup.trim()),
                counts: counts.map(|n| n.parse().expect("a count")).collect(),
            }
        })
        .collect();
    assert!(cases.len() >= fewest);
    for case in &cases {
        assert!(case.counts.len() >= shallowest, "line {}", case.line);
    }
    cases
}

impl<P> Case<P> {
    /// Compares the counts up to `limit` with what `count` finds at each depth. Behind the first one
    /// above it only those that `deeper` asks for: they may be smaller, but are seldom quicker.
    pub(crate) fn check(&self, limit: u64, deeper: bool, mut count: impl FnMut(&P, usize) -> u64) {
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        for (depth, &due) in (1..).zip(&self.counts) {
            if due <= limit {
                expected.push((depth, due));
                found.push((depth, count(&self.position, depth)));
            } else if !deeper {
                break;
            }
        }
        assert_eq!(found, expected, "line {}: depths and counts", self.line);
    }
}

/// The limit that an environment variable sets, or another one.
pub(crate) fn limit(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |n| n.parse().expect("a number of nodes"))
}
