//! The games themselves.

use ::games::blokus::Scene;
use models::blokus::{Fast, Paper};
use models::score_four::ScoreFour;

use super::{Made, games, small};
use crate::self_play::game::SelfPlay as _;
use crate::self_play::{Record, SelfPlan};
use bots::search::Game as _;

/// Both searches, with all that they can do.
fn plans() -> [SelfPlan; 2] {
    let paper = SelfPlan {
        full_share: 0.5,
        random_plies: 3,
        ..SelfPlan::paper()
    };
    [small(paper), small(SelfPlan::gumbel())]
}

#[test]
fn a_game_does_not_depend_on_those_beside_it() {
    for plan in plans() {
        let ids: Vec<u64> = (0..12).collect();
        let alone = games::<ScoreFour>(&plan, &ids, 1, &mut Made::new(2, 1));
        let together = games::<ScoreFour>(&plan, &ids, 5, &mut Made::new(2, 2));
        assert_eq!(alone, together);
        let later = games::<ScoreFour>(&plan, &[7, 3], 2, &mut Made::new(2, 1));
        assert_eq!(later, [alone[3].clone(), alone[7].clone()]);
        assert_ne!(alone[0].plies, alone[1].plies);
    }
}

#[test]
fn playouts_change_the_games_of_blokus_and_leave_them_alone_of_those_beside() {
    let plain = small(SelfPlan::gumbel());
    let with = SelfPlan {
        leaf_playouts: 2,
        ..plain
    };
    let ids = [1, 2, 3];
    let alone = games::<Fast>(&with, &ids, 1, &mut Made::new(4, 1));
    assert_eq!(alone, games::<Fast>(&with, &ids, 3, &mut Made::new(4, 2)));
    assert_ne!(alone, games::<Fast>(&plain, &ids, 1, &mut Made::new(4, 1)));
}

#[test]
fn few_games_are_dealt_evenly_to_the_slots() {
    let plan = small(SelfPlan::gumbel());
    for (games_to_play, due) in [(7, [4, 3]), (8, [4, 4]), (40, [16, 16])] {
        let ids: Vec<u64> = (0..games_to_play).collect();
        let mut oracle = Made::new(2, 2);
        games::<ScoreFour>(&plan, &ids, 16, &mut oracle);
        assert_eq!(oracle.largest, due, "{games_to_play} games");
    }
}

/// The end of a recorded game, whose moves must be legal.
fn end_of(record: &Record) -> Scene {
    let mut scene = Scene::new();
    let mut legal = Vec::new();
    for ply in &record.plies {
        scene.moves(&mut legal);
        let mv = Scene::move_of(ply.mv).expect("a placement");
        assert!(legal.contains(&mv));
        let known =
            |&(mv, _): &(u16, u16)| legal.iter().any(|legal| legal.index() == usize::from(mv));
        assert!(ply.policy.iter().all(known));
        scene.play(mv);
    }
    scene
}

#[test]
fn records_tell_what_happened() {
    for plan in plans() {
        let records = games::<Paper>(&plan, &[1, 2, 3], 3, &mut Made::new(4, 1));
        for record in &records {
            let end = end_of(record);
            let rewards = end.rewards().expect("the game is over");
            let pairs = record.rewards.iter().zip(rewards);
            assert!(
                pairs
                    .into_iter()
                    .all(|(&told, due)| (f64::from(told) - due).abs() < 1e-6)
            );
            assert_eq!(record.scores, end.scores());
            let lessons = record.plies.iter().filter(|ply| ply.is_lesson).count();
            assert!(record.plies.len() - lessons <= plan.random_plies as usize);
            for ply in &record.plies {
                let sum: u32 = ply
                    .policy
                    .iter()
                    .map(|&(_, weight)| u32::from(weight))
                    .sum();
                assert!(sum == 0 || sum.abs_diff(65_535) <= 32, "{sum}");
                // Only full searches tell what they thought.
                assert_eq!(ply.values.is_some(), !ply.policy.is_empty());
                if let Some(values) = ply.values {
                    assert!((values.iter().sum::<f32>() - 1.0).abs() < 1e-3);
                }
            }
            let with = record
                .plies
                .iter()
                .filter(|ply| !ply.policy.is_empty())
                .count();
            assert!(
                with > lessons / 4 && with < lessons * 3 / 4,
                "{with} of {lessons}"
            );
        }
    }
}
