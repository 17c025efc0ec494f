use proptest::prelude::*;

use super::super::read::tests::{played, settings};
use super::*;
use crate::league::settings::{Format, ProcessLife, Sprt};
use stats::{Hypotheses, Outcome, Verdict};

#[test]
fn blocks_are_whole_deals_with_all_games_of_a_session() {
    let mut settings = settings(&["a", "b", "c", "d", "e", "f"], 2);
    settings.session = 3;
    let mut all = played(&settings);
    let whole = blocks(&settings, &all);
    let numbers: Vec<(u32, u32)> = whole.iter().map(|b| (b.deal, b.matchup)).collect();
    let due: Vec<(u32, u32)> = (0..2).flat_map(|d| (0..6).map(move |m| (d, m))).collect();
    assert_eq!(numbers, due);
    assert!(whole.iter().all(|b| b.block.games.len() == 5 * 3));
    assert_eq!(whole[0].block.games[3].entrants, all[1].seats);
    let gone = all.remove(7).key;
    let rest = blocks(&settings, &all);
    assert_eq!(rest.len(), 11);
    assert!(
        !rest
            .iter()
            .any(|b| (b.matchup, b.deal) == (gone.matchup, gone.deal))
    );
}

#[test]
fn a_league_that_is_given_more_deals_keeps_its_order() {
    let mut settings = settings(&["a", "b", "c", "d", "e", "f"], 5);
    settings.process = ProcessLife::Deals(2);
    let order = Order::of(&settings);
    settings.deals = 9;
    let more = Order::of(&settings);
    let all = (0..5).flat_map(|d| (0..6).map(move |m| (m, d)));
    for (position, (matchup, deal)) in (0..).zip(all) {
        for order in [&order, &more] {
            assert_eq!(order.position(matchup, deal), position);
            assert_eq!(order.matchup(position), u64::from(matchup));
        }
    }
    assert_eq!(order.seated(5).unwrap().len(), 5);
}

#[test]
fn a_verdict_stays_when_a_league_is_given_more_deals() {
    let (mut settings, all) = tested(0.0);
    settings.process = ProcessLife::Deals(7);
    settings.deals = 33;
    let run = |settings: &Settings, deals: u32| {
        let mut test = Test::new(settings).unwrap();
        for block in all.iter().filter(|b| b.deal < deals) {
            test.add(block);
        }
        (test.sprt().verdict(), test.sprt().blocks())
    };
    let due = run(&settings, 33);
    settings.deals = 40;
    let more = run(&settings, 40);
    assert!(due == more || due.0 == Verdict::Open, "{due:?} {more:?}");
    assert_ne!(more.0, Verdict::Open);
}

#[test]
fn rounds_come_one_after_the_other() {
    let names: Vec<String> = (0..11).map(|i| format!("bot {i}")).collect();
    let names: Vec<&str> = names.iter().map(|n| &n[..]).collect();
    let mut settings = settings(&names, 3);
    settings.format = Format::Ladder;
    settings.process = ProcessLife::Deals(2);
    let order = Order::of(&settings);
    // Two tables of five, one sits out.
    let due = [
        (0, 0),
        (1, 0),
        (0, 1),
        (1, 1),
        (0, 2),
        (1, 2),
        (2, 0),
        (3, 0),
        (2, 1),
    ];
    for (position, (matchup, deal)) in (0..).zip(due) {
        assert_eq!(order.position(matchup, deal), position, "{matchup}.{deal}");
        assert_eq!(order.matchup(position), u64::from(matchup));
    }
}

fn tested(shift: f64) -> (Settings, Vec<DealBlock>) {
    let mut settings = settings(&["a", "b", "c", "d", "e", "f"], 40);
    settings.sprt = Some(Sprt {
        entrant: 0,
        hypotheses: Hypotheses {
            s0: 0.5 + shift,
            s1: 0.55 + shift,
            alpha: 0.05,
            beta: 0.05,
        },
    });
    let all = blocks(&settings, &played(&settings));
    (settings, all)
}

#[test]
fn a_test_waits_for_the_blocks_before_and_skips_those_without_its_entrant() {
    let (settings, mut all) = tested(0.0);
    let due = |blocks: &[DealBlock]| {
        let mut sprt = stats::Sprt::normal(settings.sprt.unwrap().hypotheses);
        for block in blocks {
            if let Some(score) = block.block.mean_of(0, Outcome::score) {
                sprt.add(score);
            }
        }
        (sprt.blocks(), sprt.ratio())
    };
    let run = |blocks: &[DealBlock]| {
        let mut test = Test::new(&settings).unwrap();
        for block in blocks {
            test.add(block);
        }
        (test.sprt().blocks(), test.sprt().ratio())
    };
    assert_eq!(run(&all), due(&all));
    assert!(run(&all).0 >= 16);
    // The last matchup of each deal is the one without entrant 0: nothing waits for it.
    let without = all.remove(5);
    assert_eq!(run(&all), due(&all));
    all.push(without);
    assert_eq!(run(&all), due(&all));
    // Nothing behind a missing block counts.
    all.pop();
    all.remove(20);
    assert_eq!(run(&all).0, 21 - 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn a_verdict_does_not_depend_on_what_is_over_first(seed in any::<u64>(), shift in 0..3_u32) {
        use rand::{SeedableRng as _, seq::SliceRandom as _};
        let (settings, mut all) = tested(f64::from(shift) * 0.2 - 0.2);
        let run = |blocks: &[DealBlock]| {
            let mut test = Test::new(&settings).unwrap();
            let verdicts: Vec<Verdict> = blocks.iter().map(|b| test.add(b)).collect();
            // Once fallen it stays.
            assert!(verdicts.windows(2).all(|v| v[0] == Verdict::Open || v[0] == v[1]));
            (test.sprt().blocks(), test.sprt().ratio().map(f64::to_bits), test.sprt().verdict())
        };
        let due = run(&all);
        prop_assert_eq!(due.2 == Verdict::Open, false);
        all.shuffle(&mut rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(seed));
        prop_assert_eq!(run(&all), due);
    }
}
