//! Evaluations through pipes.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use ::games::blokus::Scene;
use models::Encoding as _;
use models::blokus::Fast;

use super::{Made, answer, games, small};
use crate::self_play::batch::{Answers, Batch};
use crate::self_play::{OracleError, Pipe, Record, SelfPlan, play_games};

const BATCH: usize = 6;

fn words(stream: &mut UnixStream, count: usize) -> Option<Vec<u32>> {
    let mut bytes = vec![0; 4 * count];
    stream.read_exact(&mut bytes).ok()?;
    let words = bytes.as_chunks().0.iter();
    Some(words.map(|word| u32::from_le_bytes(*word)).collect())
}

/// A learner that answers so many requests; gives how many there were.
fn learner(mut stream: UnixStream, most: usize) -> usize {
    let layout = Fast::LAYOUT;
    let slots = Batch::slots(&layout, BATCH);
    let hello = words(&mut stream, 8).expect("a hello");
    let known = [
        0x4852_4b54,
        1,
        861,
        36_400,
        4,
        BATCH as u32,
        slots as u32,
        1,
    ];
    assert_eq!(hello, known);
    for count in 0..most {
        let Some(head) = words(&mut stream, 4) else {
            return count;
        };
        let [magic, slot, n, m] = head[..] else {
            unreachable!("four words were read");
        };
        assert_eq!(magic, 0x5152_4b54);
        let mut batch = Batch::new(&layout, BATCH);
        let mut bytes = vec![0; (BATCH * layout.bytes()).next_multiple_of(4)];
        stream.read_exact(&mut bytes).expect("packed positions");
        bytes.truncate(n as usize * layout.bytes());
        batch.packed = bytes;
        batch.ends = words(&mut stream, BATCH).expect("ends");
        batch.ends.truncate(n as usize);
        let moves = words(&mut stream, slots / 2).expect("moves");
        let moves = moves
            .iter()
            .flat_map(|&two| [two as u16, (two >> 16) as u16]);
        batch.moves = moves.take(m as usize).collect();
        assert_eq!(batch.ends.last(), Some(&m));
        let mut answers = answer(&batch, 4);
        answers.logits.resize(slots, f32::NAN);
        answers.values.resize(BATCH * 4, f32::NAN);
        let head = [0x5052_4b54, slot, n, m];
        let mut reply: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
        let numbers = answers.logits.iter().chain(&answers.values);
        reply.extend(numbers.flat_map(|number| number.to_le_bytes()));
        stream.write_all(&reply).expect("a reader");
    }
    most
}

#[test]
fn the_games_are_those_of_an_oracle_at_hand() {
    let plan = small(SelfPlan::gumbel());
    let ids: Vec<u64> = (0..15).collect();
    let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    let thread = std::thread::spawn(move || learner(theirs, usize::MAX));
    let reader = ours.try_clone().expect("a second handle");
    let mut pipe = Pipe::open(reader, ours, &Fast::LAYOUT, BATCH).expect("a hello");
    let through = games::<Fast>(&plan, &ids, BATCH, &mut pipe);
    drop(pipe);
    assert!(thread.join().expect("a learner without faults") > 0);
    assert_eq!(through, games::<Fast>(&plan, &ids, 1, &mut Made::new(4, 1)));
}

#[test]
fn a_closed_pipe_ends_the_games_and_keeps_what_is_finished() {
    let plan = small(SelfPlan::gumbel());
    let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    let thread = std::thread::spawn(move || learner(theirs, 1500));
    let reader = ours.try_clone().expect("a second handle");
    let mut pipe = Pipe::open(reader, ours, &Fast::LAYOUT, BATCH).expect("a hello");
    let (mut records, mut ids) = (Vec::<Record>::new(), 0..);
    let ended = play_games::<Fast, OracleError>(
        &plan,
        7,
        BATCH,
        &mut pipe,
        &mut || ids.next(),
        &mut |record, _| {
            records.push(record);
            Ok(())
        },
    );
    assert!(matches!(ended, Err(OracleError::Closed)), "{ended:?}");
    assert_eq!(thread.join().expect("a learner without faults"), 1500);
    assert!(!records.is_empty());
}

#[test]
fn a_reply_that_was_not_asked_for_is_refused() {
    let (ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
    let reader = ours.try_clone().expect("a second handle");
    let pipe = Pipe::open(reader, ours, &Fast::LAYOUT, 1).expect("a hello");
    let mut pipe = pipe;
    let mut reply = vec![0_u8; 16 + 4 * (Batch::slots(&Fast::LAYOUT, 1) + 4)];
    reply[..4].copy_from_slice(b"TKRP");
    reply[8] = 1;
    theirs.write_all(&reply).expect("a reader");
    let refused = crate::self_play::Oracle::receive(&mut pipe, &mut Answers::default());
    assert!(matches!(refused, Err(OracleError::Pipe(_))), "{refused:?}");
}

#[test]
fn a_reply_without_numbers_is_refused() {
    for (place, number) in [(0, f32::NAN), (4 * 2050, f32::INFINITY)] {
        let (ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
        let reader = ours.try_clone().expect("a second handle");
        let mut pipe = Pipe::open(reader, ours, &Fast::LAYOUT, 1).expect("a hello");
        let mut batch = Batch::new(&Fast::LAYOUT, 1);
        let (scene, mut moves) = (Scene::new(), Vec::new());
        scene.board().legal_moves(&mut moves);
        assert!(batch.add::<Fast>(&scene, &moves));
        crate::self_play::Oracle::submit(&mut pipe, 1, &batch).expect("a reader");
        let mut reply = vec![0_u8; 16 + 4 * (Batch::slots(&Fast::LAYOUT, 1) + 4)];
        let head = [0x5052_4b54, 1, 1, batch.moves.len() as u32];
        for (bytes, word) in reply.chunks_exact_mut(4).zip(head) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        reply[16 + place..][..4].copy_from_slice(&number.to_le_bytes());
        theirs.write_all(&reply).expect("a reader");
        let refused = crate::self_play::Oracle::receive(&mut pipe, &mut Answers::default());
        assert!(
            matches!(refused, Err(OracleError::NotNumbers)),
            "{refused:?}"
        );
    }
}
