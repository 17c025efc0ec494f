//! Sample blocks.

use games::blokus::Scene;
use models::Encoding as _;
use models::blokus::Fast;

use crate::self_play::game::SelfPlay as _;
use crate::self_play::{LessonError, Lessons, Record, Teacher};
use bots::blokus::EngineOptions;
use bots::search::Game as _;

fn teacher() -> Teacher {
    Teacher {
        engine: "mcts-maxn:playouts=6"
            .parse::<EngineOptions>()
            .expect("an engine"),
        random_plies: 4,
        drawn_plies: 30,
        seed: 3,
    }
}

/// Reads arrays one after the other.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn array<const N: usize, T>(&mut self, count: usize, of: fn([u8; N]) -> T) -> Vec<T> {
        let length = (count * N).next_multiple_of(4);
        let (bytes, rest) = self.0.split_at(length);
        self.0 = rest;
        bytes.as_chunks().0[..count]
            .iter()
            .map(|word| of(*word))
            .collect()
    }
}

#[test]
fn a_block_holds_what_the_record_tells() {
    let record = teacher().play(5).expect("an engine");
    let mut bytes = Vec::new();
    Lessons::of("blokus-fast")
        .expect("a layout")
        .write(&record, &mut bytes)
        .expect("legal moves");
    let mut reader = Reader(&bytes);
    let head = reader.array(10, u32::from_le_bytes);
    let (n, m) = (head[1] as usize, head[2] as usize);
    assert_eq!(head[0], u32::from_le_bytes(*b"TKSB"));
    assert_eq!(head[3..], [861, 4, 200, 36_400, 1, 5, 0]);
    let packed = reader.array(n * 861, u8::from_le_bytes);
    let moves = reader.array(m, u16::from_le_bytes);
    let weights = reader.array(m, u16::from_le_bytes);
    let ends = reader.array(n, u32::from_le_bytes);
    let value = reader.array(n * 4, f32::from_le_bytes);
    let score = reader.array(n * 4, f32::from_le_bytes);
    let root = reader.array(n * 4, f32::from_le_bytes);
    let ply = reader.array(n, u16::from_le_bytes);
    let outcome = reader.array(n * 200, u8::from_le_bytes);
    assert!(reader.0.is_empty());
    assert!(root.iter().all(|root| root.is_nan()));

    let (mut scene, mut sample, mut first) = (Scene::new(), 0, 0);
    let mut legal = Vec::new();
    for (number, played) in record.plies.iter().enumerate() {
        let mv = Scene::move_of(played.mv).expect("a placement");
        if played.is_lesson {
            let mut expected = [0; 861];
            Fast::pack(&scene, &mut expected);
            assert_eq!(packed[sample * 861..][..861], expected);
            assert_eq!(usize::from(ply[sample]), number);
            let end = ends[sample] as usize;
            scene.moves(&mut legal);
            let logits: Vec<_> = legal.iter().map(|&mv| Fast::logit(&scene, mv)).collect();
            assert_eq!(moves[first..end], logits);
            for &(index, weight) in &played.policy {
                let place = legal.iter().position(|mv| mv.index() == usize::from(index));
                assert_eq!(weights[first + place.expect("a legal move")], weight);
            }
            let sum = |weights: &[u16]| weights.iter().map(|&w| u32::from(w)).sum::<u32>();
            let told: Vec<u16> = played.policy.iter().map(|&(_, weight)| weight).collect();
            assert_eq!(sum(&weights[first..end]), sum(&told));
            let mover = usize::from(scene.to_move().expect("the game goes on"));
            for seat in 0..4 {
                let absolute = (mover + seat) % 4;
                let near = |a: f32, b: f32| (a - b).abs() < 1e-6;
                assert!(near(value[sample * 4 + seat], record.rewards[absolute]));
                assert!(near(
                    score[sample * 4 + seat],
                    f32::from(record.scores[absolute])
                ));
            }
            assert!(outcome[sample * 200..][..200].iter().any(|&byte| byte != 0));
            (sample, first) = (sample + 1, end);
        }
        scene.play(mv);
    }
    assert_eq!((sample, first), (n, m));
}

#[test]
fn a_teachers_game_depends_on_its_number_alone() {
    let teacher = teacher();
    let play = |id| teacher.play(id).expect("an engine");
    assert_eq!(play(1), play(1));
    assert_ne!(play(1).plies, play(2).plies);
}

#[test]
fn illegal_moves_are_told_by_game_and_ply() {
    let mut record = teacher().play(9).expect("an engine");
    record.plies[6].mv = record.plies[2].mv;
    let written = Lessons::of("blokus-paper")
        .expect("a layout")
        .write(&record, &mut Vec::new());
    assert_eq!(written, Err(LessonError::Illegal { id: 9, ply: 6 }));
    assert!(Lessons::of("chess").is_err());
    let empty = Record::default();
    let mut bytes = Vec::new();
    Lessons::of("score-four")
        .expect("a layout")
        .write(&empty, &mut bytes)
        .expect("nothing to refuse");
    assert_eq!(bytes.len(), 40);
}
