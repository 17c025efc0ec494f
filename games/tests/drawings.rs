//! The drawings of the rules in `docs/pictures`, from the rules themselves. `UPDATE_GOLDEN=1` writes them anew.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use taikyoku_games::blokus::Piece;
use taikyoku_games::daihinmin::{Meld, Rules, Table, is_legal};
use taikyoku_games::geister::{Direction, Ghost, Placement, Square};
use taikyoku_games::score_four::{Peg, Position, lines_at};

/// Compares a drawing with its file, or writes it.
fn check(name: &str, (width, height): (u32, u32), title: &str, body: &str) {
    let drawn = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" role=\"img\">\n<title>{title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#f6f4ee\"/>\n{body}</svg>\n"
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs/pictures")
        .join(name);
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &drawn).expect("the folder of pictures is there");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == drawn,
        "{name} is not what the rules draw: UPDATE_GOLDEN=1 writes it"
    );
}

/// A text with its middle at x and its baseline at y.
fn text(out: &mut String, (x, y): (u32, u32), size: u32, fill: &str, text: &str) {
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\" text-anchor=\"middle\">{text}</text>"
    );
}

#[test]
fn the_pieces_of_blokus() {
    const CELL: u32 = 14;
    let mut out = String::new();
    for (i, piece) in (0..).zip(Piece::all()) {
        let shape = piece
            .orientations()
            .next()
            .expect("a piece has an orientation");
        let (left, top) = (16 + i % 7 * 92, 14 + i / 7 * 108);
        for &(x, y) in shape.cells() {
            let x = left + CELL * u32::from(5 - shape.width()) / 2 + CELL * u32::from(x);
            let y = top + CELL * u32::from(4 - y);
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"#2f6db3\" stroke=\"#f6f4ee\"/>"
            );
        }
        text(
            &mut out,
            (left + 5 * CELL / 2, top + 88),
            13,
            "#22252b",
            piece.name(),
        );
    }
    check(
        "blokus_pieces.svg",
        (660, 336),
        "The 21 pieces of Blokus with their names",
        &out,
    );
}

#[test]
fn a_win_across_the_levels() {
    let position = Position::from_moves("a1b2b2c3d4c3c3d4a2d4d4").expect("legal moves");
    let end = position.end().expect("the game is over");
    let winner = end.winner.expect("a line wins");
    let own = position.balls(winner);
    let line = (0..64).fold(0, |line, square| line | lines_at(own, square));
    assert_eq!(line.count_ones(), 4);
    let mut out = String::new();
    let pegs = || (0..16).filter_map(Peg::from_index);
    // Pegs at the back first.
    for peg in (0..4)
        .rev()
        .flat_map(|y| pegs().filter(move |peg| peg.y() == y))
    {
        let (x, ground) = (
            70 + 96 * u32::from(peg.x()) + 44 * u32::from(peg.y()),
            300 - 42 * u32::from(peg.y()),
        );
        let _ = writeln!(
            out,
            "<ellipse cx=\"{x}\" cy=\"{ground}\" rx=\"20\" ry=\"7\" fill=\"#d8d1c2\"/>\
             <path d=\"M{x} {ground}v-124\" stroke=\"#8b7d63\" stroke-width=\"4\"/>"
        );
        for level in 0..4 {
            let Some(owner) = position.owner(peg, level) else {
                break;
            };
            let is_in_line = peg.square(level).is_some_and(|square| line & square != 0);
            let (fill, edge) = match (owner == winner, is_in_line) {
                (true, true) => ("#c8402f", "#22252b"),
                (true, false) => ("#e9a99f", "#a66a60"),
                (false, _) => ("#b9c4d4", "#7c8899"),
            };
            let _ = writeln!(
                out,
                "<circle cx=\"{x}\" cy=\"{}\" r=\"15\" fill=\"{fill}\" stroke=\"{edge}\" stroke-width=\"2\"/>",
                ground - 16 - 30 * level as u32
            );
        }
        text(&mut out, (x, ground + 20), 12, "#5d5f66", &peg.to_string());
    }
    check(
        "score_four_win.svg",
        (570, 336),
        "A line of four from the lowest level of a1 to the highest of d4",
        &out,
    );
}

#[test]
fn a_set_up_of_geister() {
    const CELL: u32 = 54;
    let red: Placement = "ABCD".parse().expect("four ghosts");
    let mut out = String::new();
    let place = |square: Square| {
        (
            60 + CELL * u32::from(square.x()),
            40 + CELL * u32::from(square.y()),
        )
    };
    for square in Square::all() {
        let (x, y) = place(square);
        let is_exit = [Direction::West, Direction::East]
            .into_iter()
            .any(|side| square.is_exit(side));
        let fill = if is_exit { "#dcebd8" } else { "#fffdf9" };
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{fill}\" stroke=\"#b8b0a0\"/>"
        );
        if is_exit {
            let arrow = if square.x() == 0 {
                "\u{2190}"
            } else {
                "\u{2192}"
            };
            text(&mut out, (x + CELL / 2, y + 36), 24, "#2f7d46", arrow);
        }
    }
    for i in 0..6 {
        let number = i.to_string();
        text(
            &mut out,
            (60 + CELL * i + CELL / 2, 28),
            13,
            "#5d5f66",
            &number,
        );
        text(&mut out, (44, 40 + CELL * i + 32), 13, "#5d5f66", &number);
    }
    for ghost in (0..8).filter_map(Ghost::from_index) {
        let own = if red.is_red(ghost) {
            "#c8402f"
        } else {
            "#2f6db3"
        };
        let letter = ghost.letter();
        for (square, fill, name) in [
            (ghost.home(), own, letter),
            (
                ghost.home().turned(),
                "#8d8a84",
                letter.to_ascii_lowercase(),
            ),
        ] {
            let (x, y) = place(square);
            let _ = writeln!(
                out,
                "<circle cx=\"{}\" cy=\"{}\" r=\"20\" fill=\"{fill}\"/>",
                x + CELL / 2,
                y + CELL / 2
            );
            text(
                &mut out,
                (x + CELL / 2, y + 34),
                18,
                "#fff",
                &name.to_string(),
            );
        }
    }
    check(
        "geister_set_up.svg",
        (440, 384),
        "The placement ABCD: A to D red, E to H blue, the ghosts of the opponent unknown; exits at the two far corners",
        &out,
    );
}

#[test]
fn a_trick_of_daihinmin() {
    let turns = [
        "S4H4", "S7H7", "pass", "STLT", "pass", "SKHK", "pass", "pass", "pass",
    ];
    let mut table = Table::new(0, Rules::default());
    let mut out = String::new();
    for (i, turn) in (0..).zip(turns) {
        let meld: Meld = turn.parse().expect("a meld");
        let (seat, had_lock) = (table.turn, table.lock);
        assert_eq!(is_legal(&table, meld.cards(), meld), Ok(()), "{turn}");
        table.lay(meld, false);
        let mut note = if table.lock && !had_lock {
            "suit lock 縛り"
        } else {
            ""
        };
        table.advance();
        if table.field.is_pass() {
            note = "the trick is over; player 1 leads";
        }
        let y = 14 + 40 * i;
        text(
            &mut out,
            (60, y + 24),
            15,
            "#22252b",
            &format!("player {}", seat + 1),
        );
        if meld.is_pass() {
            text(&mut out, (172, y + 24), 15, "#5d5f66", "pass");
        } else {
            for (k, card) in (0..).zip(turn.as_bytes().chunks(2)) {
                let (suit, is_joker) = match card[0] {
                    b'S' => ("\u{2660}", false),
                    b'H' => ("\u{2665}", false),
                    _ => ("\u{2665}", true),
                };
                let rank = if card[1] == b'T' {
                    "10".to_owned()
                } else {
                    char::from(card[1]).to_string()
                };
                let ink = if suit == "\u{2665}" {
                    "#c8402f"
                } else {
                    "#22252b"
                };
                let x = 120 + 60 * k;
                let _ = writeln!(
                    out,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"52\" height=\"34\" rx=\"5\" fill=\"#fff\" stroke=\"{}\"/>",
                    if is_joker { "#93499a" } else { "#b8b0a0" }
                );
                text(
                    &mut out,
                    (x + 26, y + 23),
                    16,
                    ink,
                    &format!("{suit}{rank}"),
                );
                if is_joker {
                    text(&mut out, (x + 82, y + 23), 13, "#93499a", "joker");
                }
            }
        }
        text(&mut out, (400, y + 24), 14, "#2f7d46", note);
    }
    assert!(
        table.field.is_pass() && table.turn == 0,
        "all nine turns make the trick"
    );
    check(
        "daihinmin_trick.svg",
        (540, 380),
        "A trick of Daihinmin, turn by turn",
        &out,
    );
}
