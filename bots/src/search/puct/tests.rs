use super::*;
use crate::search::{Budget, Stopwatch};

impl Puct<Toy> {
    /// Searches with an evaluator at hand; gives all moves with their visits. A budget counts simulations, those
    /// that the tree has from the last search not among them.
    fn search(&mut self, root: &Toy, budget: Budget) -> Vec<Candidate<u8>> {
        if root.to_move().is_none() {
            self.forget();
            return Vec::new();
        }
        self.begin(root, budget.playouts);
        let mut logits = Vec::new();
        let mut watch = Stopwatch::start(budget);
        if self.tree.is_empty() {
            self.simulate(&mut logits);
        }
        while watch.grant() {
            self.simulate(&mut logits);
        }
        self.candidates()
    }

    fn simulate(&mut self, logits: &mut Vec<f32>) {
        if let Selected::Leaf(number) = self.select() {
            let leaf = &self.leaves[number];
            let value = opinion(&leaf.position, &leaf.moves, logits);
            self.supply(number, logits, &value);
        }
    }
}

/// A game of so many plies with four moves each, for three seats in turn. Its rewards are a hash of the moves.
#[derive(Clone, Debug, PartialEq)]
struct Toy {
    moves: Vec<u8>,
    plies: usize,
}

impl Toy {
    const fn new(plies: usize) -> Toy {
        Toy {
            moves: Vec::new(),
            plies,
        }
    }

    fn after(&self, mv: u8) -> Toy {
        let mut next = self.clone();
        next.play(mv);
        next
    }

    /// The values with best play of all, the first move among equals.
    fn maxn(&self) -> (Rewards, Option<u8>) {
        if let Some(rewards) = self.rewards() {
            return (rewards, None);
        }
        let seat = usize::from(self.to_move().unwrap());
        let mut best: (Rewards, Option<u8>) = ([-1.0; MOST_SEATS], None);
        for mv in 0..4 {
            let (values, _) = self.after(mv).maxn();
            if values[seat] > best.0[seat] {
                best = (values, Some(mv));
            }
        }
        best
    }
}

impl Game for Toy {
    type Move = u8;
    const SEATS: usize = 3;
    const MOVES: usize = 4;

    fn index(mv: u8) -> usize {
        usize::from(mv)
    }

    fn to_move(&self) -> Option<u8> {
        (self.moves.len() < self.plies).then_some((self.moves.len() % 3) as u8)
    }

    fn moves(&self, out: &mut Vec<u8>) {
        out.clear();
        if self.to_move().is_some() {
            out.extend(0..4);
        }
    }

    fn play(&mut self, mv: u8) {
        self.moves.push(mv);
    }

    fn rewards(&self) -> Option<Rewards> {
        if self.to_move().is_some() {
            return None;
        }
        let hash = self.moves.iter().fold(17_u64, |h, &m| {
            (h ^ u64::from(m))
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29)
        });
        let parts = [0, 16, 32].map(|shift| (1 + (hash >> shift & 0xff)) as f64);
        let sum: f64 = parts.iter().sum();
        Some([parts[0] / sum, parts[1] / sum, parts[2] / sum, 0.0])
    }

    fn moves_since(&self, earlier: &Self, out: &mut Vec<u8>) -> bool {
        out.clear();
        let known = self.moves.strip_prefix(&earlier.moves[..]);
        out.extend(known.unwrap_or_default());
        known.is_some()
    }
}

/// Prefers some moves, and is a little wrong about values.
fn opinion(position: &Toy, moves: &[u8], logits: &mut Vec<f32>) -> Rewards {
    logits.clear();
    let shift = position.moves.iter().sum::<u8>();
    logits.extend(moves.iter().map(|m| f32::from((m + shift) % 4) * 0.5));
    [0.4, 0.3, 0.3, 0.0]
}

fn plan() -> PuctPlan {
    PuctPlan {
        memory: 1 << 24,
        ..PuctPlan::default()
    }
}

fn sum(candidates: &[Candidate<u8>]) -> u64 {
    candidates.iter().map(|c| c.trials).sum()
}

#[test]
fn many_simulations_find_a_move_as_good_as_the_maxn_move() {
    for plies in 1..=2 {
        let root = Toy::new(plies);
        let (values, _) = root.maxn();
        for gumbel in [
            None,
            Some(Gumbel {
                draws: false,
                ..Gumbel::default()
            }),
        ] {
            let mut search = Puct::new(PuctPlan { gumbel, ..plan() }, 1);
            let candidates = search.search(&root, Budget::playouts(40_000));
            let move_found = search.decide().unwrap();
            let (found, _) = root.after(move_found).maxn();
            assert!(
                found[0] > values[0] - 0.02,
                "{plies} {gumbel:?} {candidates:?}"
            );
            let candidate = candidates.iter().find(|c| c.mv == move_found).unwrap();
            assert!(
                (candidate.rate() - found[0]).abs() < 0.03,
                "{candidate:?} {found:?}"
            );
        }
    }
}

#[test]
fn the_first_simulations_follow_the_formula() {
    let root = Toy::new(6);
    let mut search = Puct::new(plan(), 1);
    let mut oracle = [(0_u32, 0.0_f64); 4];
    let logits = [0.0_f64, 0.5, 1.0, 1.5];
    let total: f64 = logits.iter().map(|l| l.exp()).sum();
    search.begin(&root, 0);
    let mut logits_of = Vec::new();
    search.simulate(&mut logits_of);
    for n in 1..60_u32 {
        let visits = f64::from(n);
        let c = ((1.0 + visits + 19_625.0) / 19_625.0).ln() + 1.25;
        let score = |i: usize| {
            let (tried, sum) = oracle[i];
            let q = if tried == 0 {
                0.5
            } else {
                sum / f64::from(tried)
            };
            q + c / 2.0 * logits[i].exp() / total * visits.sqrt() / f64::from(1 + tried)
        };
        let due = (0..4)
            .reduce(|a, b| if score(b) > score(a) { b } else { a })
            .unwrap();
        let before = search.candidates();
        search.simulate(&mut logits_of);
        let after = search.candidates();
        let chosen = (0..4)
            .find(|&i| after[i].trials > before[i].trials)
            .unwrap();
        assert_eq!(chosen, due, "simulation {n}");
        oracle[chosen].0 += 1;
        oracle[chosen].1 += after[chosen].sum - before[chosen].sum;
    }
}

#[test]
fn the_same_seed_gives_the_same_search_and_another_one_other_noise() {
    let root = Toy::new(5);
    let search = |seed| {
        let plan = PuctPlan {
            noise: Some(Noise {
                alpha: 0.3,
                share: 0.25,
            }),
            ..plan()
        };
        Puct::new(plan, seed).search(&root, Budget::playouts(300))
    };
    assert_eq!(search(1), search(1));
    assert_ne!(search(1), search(2));
}

#[test]
fn leaves_of_a_batch_are_different_and_nothing_stays_under_way() {
    let root = Toy::new(8);
    let mut search = Puct::new(plan(), 1);
    let mut logits = Vec::new();
    search.begin(&root, 0);
    let mut simulations = 0;
    for _ in 0..50 {
        let mut batch = Vec::new();
        for _ in 0..8 {
            match search.select() {
                Selected::Leaf(number) => batch.push(number),
                Selected::Over => simulations += 1,
                Selected::Waits => break,
            }
        }
        let mut positions: Vec<Vec<u8>> = batch
            .iter()
            .map(|&b| search.leaf(b).0.moves.clone())
            .collect();
        positions.sort();
        positions.dedup();
        assert_eq!(positions.len(), batch.len());
        for number in batch {
            let (position, moves) = search.leaf(number);
            let value = opinion(&position.clone(), moves, &mut logits);
            search.supply(number, &logits, &value);
            simulations += 1;
        }
    }
    // The first evaluation is that of the root, which is no move's visit.
    assert_eq!(sum(&search.candidates()), simulations - 1);
    let edges = search.tree.moves(ROOT);
    assert!(edges.iter().all(|edge| edge.pending == 0));
    // What waits is given up by the next search.
    assert!(matches!(search.select(), Selected::Leaf(_)));
    search.begin(&root, 0);
    let mut edges = search.tree.moves(ROOT).iter();
    assert!(edges.all(|edge| edge.pending == 0));
}

#[test]
fn what_is_known_of_the_next_position_is_used_again() {
    let root = Toy::new(9);
    let mut search = Puct::new(plan(), 1);
    let candidates = search.search(&root, Budget::playouts(500));
    let best = candidates.iter().max_by_key(|c| c.trials).unwrap();
    let next = root.after(best.mv);
    search.begin(&next, 0);
    // The visit that has evaluated the position is no visit of its moves.
    assert_eq!(sum(&search.candidates()), best.trials - 1);
    let again = search.search(&next, Budget::playouts(100));
    assert_eq!(sum(&again), best.trials - 1 + 100);
    let mut other = Puct::new(
        PuctPlan {
            reuse: false,
            ..plan()
        },
        1,
    );
    other.search(&root, Budget::playouts(500));
    assert_eq!(sum(&other.search(&next, Budget::playouts(100))), 100);
}

#[test]
fn a_full_tree_goes_on_without_growing() {
    let mut search = Puct::new(
        PuctPlan {
            memory: 20_000,
            ..plan()
        },
        1,
    );
    let candidates = search.search(&Toy::new(12), Budget::playouts(5_000));
    assert_eq!(sum(&candidates), 5_000);
    assert!(search.size() < 500, "{}", search.size());
}

#[test]
fn halving_shares_the_simulations_out_and_improves_the_policy() {
    let gumbel = Gumbel {
        considered: 4,
        draws: true,
        ..Gumbel::default()
    };
    let root = Toy::new(1);
    let (mut prior, mut improved, mut played) = (0.0, 0.0, 0.0);
    for seed in 0..200 {
        let mut search = Puct::new(
            PuctPlan {
                gumbel: Some(gumbel),
                ..plan()
            },
            seed,
        );
        let candidates = search.search(&root, Budget::playouts(16));
        let mut trials: Vec<u64> = candidates.iter().map(|c| c.trials).collect();
        trials.sort_unstable();
        // Two rounds of eight: four moves twice, then the better two four times more.
        assert_eq!(trials, [2, 2, 6, 6]);
        let reward = |mv| root.after(mv).rewards().unwrap()[0];
        let policy = search.policy();
        assert!((policy.iter().map(|&(_, p)| f64::from(p)).sum::<f64>() - 1.0).abs() < 1e-5);
        improved += policy
            .iter()
            .map(|&(mv, p)| f64::from(p) * reward(mv))
            .sum::<f64>();
        played += reward(search.decide().unwrap());
        let logits = [0.0_f64, 0.5, 1.0, 1.5].map(f64::exp);
        let total: f64 = logits.iter().sum();
        prior += (0..4)
            .map(|mv| logits[usize::from(mv)] / total * reward(mv))
            .sum::<f64>();
    }
    assert!(
        improved > prior && played > prior,
        "{prior} {improved} {played}"
    );
}

#[test]
fn a_game_that_is_over_has_no_moves() {
    let mut search = Puct::new(plan(), 1);
    search.search(&Toy::new(2), Budget::playouts(5));
    assert_eq!(search.search(&Toy::new(0), Budget::playouts(5)), []);
    assert_eq!(search.decide(), None);
}
