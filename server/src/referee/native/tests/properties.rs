//! Whatever happens, records play again and events have no gaps.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Act {
    /// The first legal peg from this one on, by the player to move.
    Play(u8),
    Try(u8, String),
    Send(u8, ClientMessage),
    Fault(u8, ErrorCode),
    Lose(u8),
    Rejoin(u8, Option<u64>),
    Wait(u64),
}

fn act() -> impl Strategy<Value = Act> {
    let player = || 0_u8..2;
    prop_oneof![
        20 => any::<u8>().prop_map(Act::Play),
        2 => (player(), "[a-e][0-5]").prop_map(|(p, text)| Act::Try(p, text)),
        1 => (player(), prop_oneof![
            Just(ClientMessage::Legal),
            Just(ClientMessage::View),
            Just(ClientMessage::Resign),
            (1_u32..4).prop_map(|game| ClientMessage::Crash { game }),
            (1_u32..4).prop_map(|game| ClientMessage::Ready { game }),
        ]).prop_map(|(p, message)| Act::Send(p, message)),
        1 => (player(), (0..ErrorCode::ALL.len()).prop_map(|i| ErrorCode::ALL[i]))
            .prop_map(|(p, code)| Act::Fault(p, code)),
        1 => player().prop_map(Act::Lose),
        2 => (player(), proptest::option::of(0_u64..60)).prop_map(|(p, last)| Act::Rejoin(p, last)),
        4 => (0_u64..400).prop_map(Act::Wait),
    ]
}

fn mover(bench: &Bench) -> Option<u8> {
    let play = bench.referee.play.as_ref()?;
    play.mover().map(Player::number)
}

/// Takes what both were told: the next event of each is one more than the last, but after a return
/// without a last event, where the view says what is the last.
fn hear(bench: &mut Bench, heard: &mut [u64; 2]) -> Result<(), TestCaseError> {
    for (player, heard) in (0..).zip(heard) {
        for message in bench.take(player) {
            if let (ServerMessage::View { event, .. }, u64::MAX) = (&message, *heard) {
                *heard = *event;
            }
            if let Some(event) = message.event() {
                // Between two games there is no view: the next event is the first that it hears.
                prop_assert!(*heard == u64::MAX || event == *heard + 1);
                *heard = event;
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_course_of_a_match_is_sound(acts in proptest::collection::vec(act(), 0..300), games in 1_u32..6, opening in 0_u32..6) {
        let mut bench = Bench::new(MatchSettings { games, opening, retries: 1, ..settings() });
        // What each player has heard, as a client that keeps the last event does.
        let mut heard = [0_u64; 2];
        hear(&mut bench, &mut heard)?;
        for act in acts {
            match act {
                Act::Play(from) => {
                    let legal = bench.referee.game().map(Game::legal_texts).unwrap_or_default();
                    if let (Some(player), false) = (mover(&bench), legal.is_empty()) {
                        bench.play(player, &legal[usize::from(from) % legal.len()]);
                    }
                }
                Act::Try(player, text) => bench.play(player, &text),
                Act::Send(player, message) => bench.send(player, message),
                Act::Fault(player, code) => bench.fault(player, code),
                Act::Lose(player) => bench.lose(player),
                Act::Rejoin(player, last) => {
                    let last = last.map(|_| heard[usize::from(player)]);
                    if last.is_none() {
                        heard[usize::from(player)] = u64::MAX;
                    }
                    bench.rejoin(player, last);
                }
                Act::Wait(time) => bench.wait(time),
            }
            hear(&mut bench, &mut heard)?;
            if let Some(deadline) = bench.referee.next_deadline() {
                prop_assert!(deadline > bench.now);
            }
            prop_assert_eq!(bench.referee.is_over(), bench.referee.next_deadline().is_none());
        }
        if !bench.referee.is_over() {
            bench.act(Referee::stop);
        }
        let sum = bench.replay();
        prop_assert!(sum.closed && !sum.unfinished);
        prop_assert!(sum.games + sum.void <= games);
    }
}
