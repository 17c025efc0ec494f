//! Boards of GAT over random games, and frames of its viewer.

use games::geister::{MoveList, Placement, Position, Rules, View};
use proptest::prelude::*;
use taikyoku_protocol::gat::{Board, Label, Scoreboard, ViewerFrame, WinCounts};

/// Positions of a random game, the first and the last included.
fn random_game(placements: [usize; 2], choices: &[u8]) -> Vec<Position> {
    let placements = placements.map(|n| Placement::ALL[n]);
    let mut position = Position::new(placements, Rules { ply_limit: 60 });
    let mut positions = vec![position];
    let mut list = MoveList::new();
    for &choice in choices {
        position.legal_moves(&mut list);
        if position.end().is_some() || list.is_empty() {
            break;
        }
        let mv = list[usize::from(choice) % list.len()];
        position.play(mv).unwrap();
        positions.push(position);
    }
    positions
}

fn game() -> impl Strategy<Value = Vec<Position>> {
    let choices = prop::collection::vec(any::<u8>(), 0..80);
    ([0..70_usize, 0..70], choices)
        .prop_map(|(placements, choices)| random_game(placements, &choices))
}

#[test]
fn viewer_frames() {
    let board = "14B24B34B44B15R25R35R45R41r31r21r11r40b30b20b10b";
    let frame = ViewerFrame {
        label: Label::ToMove(0),
        board: board.parse().unwrap(),
        scoreboard: None,
    };
    assert_eq!(frame.to_string(), format!("MV0:{board}"));
    let board = "14u24u34u44u15u25u35u45u41u31u21u11u40u30u20u10u";
    let scored = ViewerFrame {
        label: Label::Won(1),
        board: board.parse().unwrap(),
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
    let fields = "MJ0:600,MJ1:12,BY0:10,BY1:3,Name0:one,Name1:two,win0:1,lose0:2,draw0:3,\
                  win1:2,lose1:1,draw1:3,Turn:17,ch:1";
    assert_eq!(scored.to_string(), format!("WI1:{board},{fields}"));
}

proptest! {
    #[test]
    fn boards_of_random_games_round_trip(positions in game()) {
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
        }
    }
}
