//! Whatever happens, records play again and events have no gaps.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Act {
    /// The first legal move from this one on, by the player to move.
    Play(usize),
    Try(u8, String),
    Send(u8, ClientMessage),
    Fault(u8, ErrorCode),
    Lose(u8),
    Rejoin(u8, bool),
    Wait(u64),
}

/// What may happen at a table of so many seats, where so many of a hundred acts are moves.
fn act(seats: u8, moves: u32) -> impl Strategy<Value = Act> {
    let player = move || 0..seats;
    let message = prop_oneof![
        Just(ClientMessage::Legal),
        Just(ClientMessage::View),
        Just(ClientMessage::Resign),
        Just(ClientMessage::Leave),
        (1_u32..4).prop_map(|game| ClientMessage::Crash { game }),
        (1_u32..4).prop_map(|game| ClientMessage::Ready { game }),
    ];
    let code = prop_oneof![
        Just(ErrorCode::Malformed),
        Just(ErrorCode::TooLong),
        Just(ErrorCode::TooDeep),
        Just(ErrorCode::UnknownType),
        Just(ErrorCode::Rate),
    ];
    prop_oneof![
        moves => any::<usize>().prop_map(Act::Play),
        2 => (player(), "[a-e][0-5]").prop_map(|(p, text)| Act::Try(p, text)),
        1 => (player(), message).prop_map(|(p, message)| Act::Send(p, message)),
        1 => (player(), code).prop_map(|(p, code)| Act::Fault(p, code)),
        1 => player().prop_map(Act::Lose),
        2 => (player(), any::<bool>()).prop_map(|(p, knows)| Act::Rejoin(p, knows)),
        4 => (0_u64..400).prop_map(Act::Wait),
    ]
}

/// Takes what all were told: the next event of each is one more than the last, but after a return
/// without a last event, where the view says what is the last.
fn hear<G: Game>(bench: &mut Bench<G>, heard: &mut [u64]) -> Result<(), TestCaseError> {
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

fn is_sound<G: Game>(
    settings: MatchSettings<G::Rules>,
    acts: Vec<Act>,
) -> Result<(), TestCaseError> {
    let games = settings.games;
    let mut bench = Bench::<G>::new(settings);
    // What each player has heard, as a client that keeps the last event does.
    let mut heard = vec![0; G::SEATS];
    hear(&mut bench, &mut heard)?;
    for act in acts {
        match act {
            Act::Play(from) => bench.play_legal(from),
            Act::Try(player, text) => bench.play(player, &text),
            Act::Send(player, message) => bench.send(player, message),
            Act::Fault(player, code) => bench.fault(player, code),
            Act::Lose(player) => bench.lose(player),
            Act::Rejoin(player, knows) => {
                let last = &mut heard[usize::from(player)];
                if !knows {
                    *last = u64::MAX;
                }
                let last = knows.then_some(*last);
                bench.rejoin(player, last);
            }
            Act::Wait(time) => bench.wait(time),
        }
        hear(&mut bench, &mut heard)?;
        if let Some(deadline) = bench.referee.next_deadline() {
            prop_assert!(deadline > bench.now);
        }
        prop_assert_eq!(
            bench.referee.is_over(),
            bench.referee.next_deadline().is_none()
        );
    }
    if !bench.referee.is_over() {
        bench.act(Referee::stop);
    }
    let sum = bench.replay();
    prop_assert!(sum.closed && !sum.unfinished);
    prop_assert!(sum.games + sum.void <= games);
    for result in bench.results().iter().filter(|result| !result.is_void()) {
        let is_fault = |kind: &&EndKind| **kind != EndKind::Normal;
        let faults = result.kinds.iter().filter(is_fault).count();
        for (kind, place) in result.kinds.iter().zip(&result.places) {
            let is_last = usize::from(*place) == G::SEATS - faults && faults > 0;
            prop_assert_eq!(is_fault(&kind), is_last);
        }
        let total: f64 = result.points.iter().sum();
        prop_assert!((total - 1.0).abs() < 1e-9);
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_course_of_a_match_of_two_is_sound(
        acts in proptest::collection::vec(act(2, 20), 0..300),
        games in 1_u32..6,
        opening in 0_u32..6,
    ) {
        let settings = MatchSettings { games, opening, retries: 1, ..settings::<ScoreFour>() };
        is_sound::<ScoreFour>(settings, acts)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_course_of_a_match_of_four_is_sound(
        acts in proptest::collection::vec(act(4, 150), 0..200),
        opening in 0_u32..5,
    ) {
        is_sound::<Blokus>(MatchSettings { opening, ..settings::<Blokus>() }, acts)?;
    }
}
