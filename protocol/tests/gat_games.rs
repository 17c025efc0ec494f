//! Boards, game logs and viewer frames of GAT over random games.

use games::geister::{Ghost, Move, MoveList, Placement, Position, Rules, View};
use proptest::prelude::*;
use taikyoku_protocol::gat::{
    Board, ClientLine, FrameError, GameLog, Label, LogLine, Scoreboard, ViewerBoard, ViewerFrame,
    WinCounts,
};

/// Positions of a random game, the first and the last included, with the moves between them.
fn random_game(placements: [usize; 2], choices: &[u8]) -> (Vec<Position>, Vec<Move>) {
    let placements = placements.map(|n| Placement::ALL[n]);
    let mut position = Position::new(placements, Rules { ply_limit: 60 });
    let (mut positions, mut moves) = (vec![position], Vec::new());
    let mut list = MoveList::new();
    for &choice in choices {
        position.legal_moves(&mut list);
        if position.end().is_some() || list.is_empty() {
            break;
        }
        let mv = list[usize::from(choice) % list.len()];
        position.play(mv).unwrap();
        positions.push(position);
        moves.push(mv);
    }
    (positions, moves)
}

fn game() -> impl Strategy<Value = (Vec<Position>, Vec<Move>)> {
    let choices = prop::collection::vec(any::<u8>(), 0..80);
    ([0..70_usize, 0..70], choices)
        .prop_map(|(placements, choices)| random_game(placements, &choices))
}

#[test]
fn a_game_log() {
    let text = "player=0,SET:ABC\nplayer=1,SET:EFGH,NAME:nao\nplayer=0,SET:abce\nplayer=0,MOV:A,N\n\
                player=1,MOV:hx,south\nwinner=2\n";
    let log = GameLog::parse(text).unwrap();
    assert_eq!(log.placement(0), Some(("ABCE".parse().unwrap(), None)));
    assert_eq!(
        log.placement(1),
        Some(("EFGH".parse().unwrap(), Some("nao")))
    );
    let moves: Vec<_> = log
        .moves()
        .map(|(player, mv)| format!("{player} {mv}"))
        .collect();
    assert_eq!(moves, ["0 A,N", "1 H,S"]);
    assert_eq!(log.winner(), Some(None));
    let normal = text.replace("abce", "ABCE").replace("hx,south", "H,S");
    assert_eq!(log.to_string(), normal);
    assert_eq!(GameLog::parse(&normal.replace('\n', "\r\n")), Ok(log));
    assert_eq!(GameLog::parse("").unwrap().winner(), None);
    for bad in [
        "winner=3",
        "winner=",
        "player=2,MOV:A,N",
        "player=0",
        "hello",
        "player=,SET:ABCD",
    ] {
        let error = GameLog::parse(&format!("winner=0\n{bad}\n")).unwrap_err();
        assert_eq!((error.line, error.text.as_str()), (2, bad));
    }
    let hostile = LogLine::Command {
        player: 0,
        command: ClientLine::parse("x\nwinner=0\n"),
    };
    assert_eq!(hostile.to_string(), "player=0,x?winner=0?");
}

#[test]
fn viewer_frames() {
    let placements = ["ABCD", "EFGH"].map(|letters| letters.parse().unwrap());
    let position = Position::new(placements, Rules::default());
    let frame = ViewerFrame {
        label: Label::ToMove(0),
        board: ViewerBoard::shown(&position.final_view(0)),
        scoreboard: None,
    };
    let text = "MV0:14B24B34B44B15R25R35R45R41r31r21r11r40b30b20b10b";
    assert_eq!(frame.to_string(), text);
    assert_eq!(text.parse(), Ok(frame.clone()));
    assert_eq!(frame.board, ViewerBoard::shown(&position.final_view(1)));
    let scored = ViewerFrame {
        label: Label::Won(1),
        board: frame.board.hidden(),
        scoreboard: Some(Scoreboard {
            main_time: [600, 12],
            byo_yomi: [10, 3],
            names: ["one".into(), "two".into()],
            tallies: [
                WinCounts {
                    win: 1,
                    lose: 2,
                    draw: 3,
                },
                WinCounts {
                    win: 2,
                    lose: 1,
                    draw: 3,
                },
            ],
            turn: 17,
            ch: "1".into(),
        }),
    };
    let text = "WI1:14u24u34u44u15u25u35u45u41u31u21u11u40u30u20u10u,MJ0:600,MJ1:12,BY0:10,BY1:3,\
                Name0:one,Name1:two,win0:1,lose0:2,draw0:3,win1:2,lose1:1,draw1:3,Turn:17,ch:1";
    assert_eq!(scored.to_string(), text);
    assert_eq!(text.parse(), Ok(scored));
    assert_eq!("null".parse::<ViewerFrame>(), Err(FrameError::Label));
    let bad = format!("{text},Turn:x").parse::<ViewerFrame>();
    assert_eq!(bad, Err(FrameError::Field("Turn:x".into())));
    assert!("DRW:14u".parse::<ViewerFrame>().is_err());
}

proptest! {
    #[test]
    fn boards_of_random_games_round_trip((positions, _) in game()) {
        for position in &positions {
            for view in [0, 1].map(|seat| position.view(seat)) {
                let text = Board::from(&view).to_string();
                let board: Board = text.parse().unwrap();
                prop_assert_eq!(board, Board::from(&view));
                if view.end().is_none() {
                    let mover = view.to_move().unwrap();
                    let again = View::from_ghosts(
                        view.seat(), board.own, board.enemy, mover, view.ply(), view.rules(),
                    );
                    prop_assert_eq!(again, Ok(view));
                }
            }
            for seat in [0, 1] {
                let shown = Board::from(&position.final_view(seat));
                prop_assert_eq!(shown.to_string().parse(), Ok(shown));
            }
            let public = [0, 1].map(|seat| ViewerBoard::public(&position.view(seat)));
            prop_assert_eq!(public[0], public[1]);
            prop_assert_eq!(public[0].to_string().parse(), Ok(public[0]));
            let all = [0, 1].map(|seat| ViewerBoard::shown(&position.final_view(seat)));
            prop_assert_eq!(all[0], all[1]);
            prop_assert_eq!(all[0].to_string().parse(), Ok(all[0]));
            for i in 0..8 {
                let (place, colour) = all[0].first[i];
                prop_assert_eq!(colour, Some(position.colour(0, Ghost::ALL[i])));
                let seen = position.view(1).enemy(Ghost::ALL[i]).0;
                prop_assert_eq!(place, seen);
            }
        }
    }

    #[test]
    fn logs_of_random_games_round_trip((positions, moves) in game()) {
        let mut log = GameLog::default();
        for player in [0, 1] {
            let placement = positions[0].placement(player);
            let command = ClientLine::Set { placement, name: None };
            log.lines.push(LogLine::Command { player, command });
        }
        for (i, &mv) in moves.iter().enumerate() {
            let player = (i % 2) as u8;
            log.lines.push(LogLine::Command { player, command: ClientLine::Move(mv) });
        }
        let end = positions.last().and_then(Position::end);
        log.lines.extend(end.map(|end| LogLine::Winner(end.winner)));
        let read = GameLog::parse(&log.to_string()).unwrap();
        prop_assert_eq!(read.winner(), end.map(|end| end.winner));
        prop_assert_eq!(read.moves().count(), moves.len());
        prop_assert_eq!(read, log);
    }
}
