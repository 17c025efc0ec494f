//! What faults cost.

use super::*;

#[test]
fn harmless_lines_cost_an_error_each() {
    let mut bench = Bench::new(settings());
    bench.play(1, "a1");
    assert_eq!(bench.errors(1), [ErrorCode::NotYourTurn]);
    bench.play(0, "a1");
    bench.play(1, "a1");
    bench.take(0);
    let late = |game, ply| ClientMessage::Move {
        game,
        ply,
        mv: "b1".to_owned(),
    };
    bench.send(0, late(Some(1), Some(1)));
    bench.send(0, late(Some(2), None));
    bench.send(0, late(None, Some(3)));
    bench.send(0, ClientMessage::Hello(protocol::native::Hello::default()));
    bench.fault(0, ErrorCode::UnknownType);
    let stale = ErrorCode::Stale;
    assert_eq!(
        bench.errors(0),
        [
            stale,
            stale,
            stale,
            ErrorCode::Hello,
            ErrorCode::UnknownType
        ]
    );
    assert_eq!(bench.kinds().len(), 0);
    bench.send(0, late(Some(1), Some(2)));
    assert_eq!(bench.referee.game().map(|game| game.board().ply()), Some(3));
    let refused = |event: &&Event| matches!(event.what, What::Refused { .. });
    assert_eq!(bench.events.iter().filter(refused).count(), 6);
}

#[test]
fn faults_cost_the_game_and_the_match_goes_on() {
    for (fault, kind) in [
        (ErrorCode::Illegal, EndKind::Illegal),
        (ErrorCode::Malformed, EndKind::ProtocolError),
        (ErrorCode::TooLong, EndKind::ProtocolError),
        (ErrorCode::TooDeep, EndKind::ProtocolError),
    ] {
        let mut bench = Bench::new(settings());
        bench.play(0, "a1");
        match fault {
            ErrorCode::Illegal => bench.play(1, "e5"),
            // A line that is no message costs the game out of turn, too.
            code => bench.fault(1, code),
        }
        assert_eq!(bench.kinds(), [[EndKind::Normal, kind]], "{fault:?}");
        assert!(!bench.referee.is_over());
        let told = bench.take(0);
        let result = told.iter().find(|message| super::kind(message) == "result");
        let Some(ServerMessage::Result {
            end,
            by: Some(1),
            places,
            ..
        }) = result
        else {
            panic!("{result:?}");
        };
        assert_eq!((end.as_str(), &places[..]), (kind.as_str(), &[1, 2][..]));
        bench.send(0, ClientMessage::Resign);
        assert_eq!(bench.kinds()[1], [EndKind::Resign, EndKind::Normal]);
        let sum = bench.replay();
        assert_eq!((sum.points, sum.closed), ([1.0, 1.0].into(), true));
        // Verification fails if the line of the fault is deleted.
        bench
            .events
            .retain(|event| !matches!(event.what, What::Refused { .. }));
        let error = bench.replayed().unwrap_err().to_string();
        assert!(
            error.contains("no line of the record explains the fault"),
            "{error}"
        );
    }
}

#[test]
fn retries_are_counted_in_each_game_anew() {
    let mut bench = Bench::new(MatchSettings {
        retries: 2,
        ..settings()
    });
    for game in 0..2 {
        bench.play(game, "e5");
        bench.fault(game, ErrorCode::Malformed);
        assert_eq!(bench.kinds().len(), usize::from(game));
        bench.play(game, "nothing");
        assert_eq!(bench.kinds().len(), usize::from(game) + 1);
    }
    assert!(bench.referee.is_over());
    let illegal = ErrorCode::Illegal;
    assert_eq!(bench.errors(0), [illegal, ErrorCode::Malformed, illegal]);
    assert_eq!(bench.replay().points, [1.0, 1.0]);
}

#[test]
fn a_full_peg_is_illegal() {
    let mut bench = Bench::new(settings());
    for ply in 0..4 {
        bench.play(ply % 2, "a1");
    }
    bench.play(0, "a1");
    assert_eq!(bench.kinds(), [[EndKind::Illegal, EndKind::Normal]]);
    let told = bench.take(0);
    let error = told.iter().find(|message| kind(message) == "error");
    let Some(ServerMessage::Error { message, .. }) = error else {
        panic!();
    };
    assert_eq!(message, "a1: the peg is full");
}

#[test]
fn a_flood_costs_the_game_and_the_connection() {
    let mut bench = Bench::new(settings());
    bench.fault(1, ErrorCode::Rate);
    assert_eq!(bench.closed, [1]);
    assert_eq!(bench.kinds(), [[EndKind::Normal, EndKind::ProtocolError]]);
    bench.wait(500);
    assert!(bench.referee.is_over());
    assert_eq!(bench.kinds()[1], [EndKind::Normal, EndKind::Disconnect]);
}

#[test]
fn legal_moves_and_the_view_are_told_on_request() {
    let mut bench = Bench::new(settings());
    bench.take(0);
    bench.take(1);
    bench.send(0, ClientMessage::Legal);
    bench.send(1, ClientMessage::Legal);
    bench.send(1, ClientMessage::View);
    let Some(ServerMessage::Legal {
        moves,
        ply: 0,
        game: 1,
    }) = bench.take(0).pop()
    else {
        panic!();
    };
    assert_eq!(
        (moves.len(), &moves[0][..], &moves[15][..]),
        (16, "a1", "d4")
    );
    let told = bench.take(1);
    let [
        ServerMessage::Legal { moves, .. },
        ServerMessage::View { view, seat: 1, .. },
    ] = &told[..]
    else {
        panic!("{told:?}");
    };
    assert!(moves.is_empty());
    assert_eq!(view["board"], "-/-/-/-/-/-/-/-/-/-/-/-/-/-/-/-");
}

#[test]
fn refused_lines_beyond_a_hundred_are_not_recorded() {
    let mut bench = Bench::new(settings());
    for _ in 0..300 {
        bench.play(1, "a1");
    }
    assert_eq!(bench.errors(1).len(), 300);
    assert!(bench.events.len() < 110);
}
