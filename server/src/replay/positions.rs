//! Positions of the games, drawn for people and as JSON.

use std::fmt::Write as _;

use games::blokus::{Board, Colour, Piece};
use games::daihinmin::{NO_PLACE, SEATS, Suit};
use games::geister::{self, Ghost, Place, Position};
use games::{Blokus, Dobutsu, Game, Player, ScoreFour, Seat};
use record::{DaihinminGame, GeisterGame, Replay};
use serde_json::{Value, json};

use super::frame::{Frame, Show};

const PLACES: [&str; SEATS] = ["daifugo", "fugo", "heimin", "hinmin", "daihinmin"];

/// The letter before the line of a player: `>` when it is to move.
fn mark(turn: bool) -> char {
    if turn { '>' } else { ' ' }
}

impl Show for DaihinminGame {
    fn board(frame: &Frame<'_, DaihinminGame>) -> String {
        let game = &frame.replay.game;
        let table = &game.position.table;
        let turn = turn(frame.replay);
        let mut text = String::new();
        for (seat, &player) in frame.replay.seating.players().pairs() {
            let place = match table.places[seat.index()] {
                NO_PLACE => "",
                place => PLACES[usize::from(place)],
            };
            let was = game
                .ranks
                .as_ref()
                .map_or("", |ranks| PLACES[usize::from(ranks[player])]);
            let hand = game.position.hands[seat.index()];
            let passed = if table.has_passed(seat.number()) {
                "passed"
            } else {
                ""
            };
            let line = format!(
                "{} {:<16} {:>9} {:>2} {:<6} {:<9} {}",
                mark(turn == Some(player)),
                frame.name(player),
                was,
                hand.len(),
                passed,
                place,
                hand
            );
            let _ = writeln!(text, "{}", line.trim_end());
        }
        if turn.is_some() {
            let _ = writeln!(text, "{}", field(frame));
        }
        text
    }

    fn fields(frame: &Frame<'_, DaihinminGame>) -> Value {
        let (game, seating) = (&frame.replay.game, &frame.replay.seating);
        let table = &game.position.table;
        let hands = game.position.hands.map(|hand| hand.to_string()).into();
        let places = game
            .places()
            .map(|&place| (place != NO_PLACE).then_some(place));
        json!({
            "to_move": turn(frame.replay),
            "hands": seating.by_player(&hands),
            "field": (!table.field.is_pass()).then(|| table.field.to_string()),
            "lock": table.lock,
            "revolution": table.revolution,
            "places": seating.by_player(&places),
        })
    }
}

/// The player whose turn it is, also while twenty passes in a row have stopped the game.
fn turn(replay: &Replay<DaihinminGame>) -> Option<Player> {
    let table = &replay.game.position.table;
    let turn = Seat::new(table.turn);
    (!replay.ended && !table.is_over()).then(|| replay.seating.player_at(turn))
}

fn field(frame: &Frame<'_, DaihinminGame>) -> String {
    let table = &frame.replay.game.position.table;
    let mut line = if table.field.is_pass() {
        "field: empty".to_owned()
    } else {
        let owner = frame.replay.seating.player_at(Seat::new(table.owner));
        format!("field: {} by {}", table.field, frame.name(owner))
    };
    if table.lock {
        let suits: String = Suit::ALL
            .iter()
            .zip("SHDC".chars())
            .filter(|&(&suit, _)| table.field.suits() >> suit as u8 & 1 != 0)
            .map(|(_, letter)| letter)
            .collect();
        let _ = write!(line, ", locked to {suits}");
    }
    if table.revolution {
        line += ", revolution";
    }
    line
}

impl Show for GeisterGame {
    fn board(frame: &Frame<'_, GeisterGame>) -> String {
        let mut text = side(frame, Seat::new(1));
        match &frame.replay.game.position {
            Some(position) => {
                for row in drawing(position) {
                    let _ = writeln!(text, "    {}", row.join(" ").trim_end());
                }
            }
            None => text.push_str("    (not set up)\n"),
        }
        text + &side(frame, Seat::new(0))
    }

    fn fields(frame: &Frame<'_, GeisterGame>) -> Value {
        let game = &frame.replay.game;
        let rows = |position| drawing(position).map(|row| row.concat().trim_end().to_owned());
        let setups = game.placements.map(|setup| setup.map(|p| p.to_string()));
        json!({
            "setups": frame.replay.seating.by_player(&setups),
            "board": game.position.as_ref().map(rows),
        })
    }
}

/// One side in a line: its player, what it has lost, what it has set up.
fn side(frame: &Frame<'_, GeisterGame>, seat: Seat) -> String {
    let replay = frame.replay;
    let player = replay.seating.player_at(seat);
    let mut line = format!(
        "{} {}",
        mark(replay.mover() == Some(player)),
        frame.name(player)
    );
    if let Some(placement) = replay.game.placements[seat] {
        let _ = write!(line, ", red {placement}");
    }
    if let Some(position) = &replay.game.position {
        let lost = |colour| position.captured(seat.number(), colour);
        let (blue, red) = (lost(geister::Colour::Blue), lost(geister::Colour::Red));
        let _ = write!(line, ", lost {blue} blue and {red} red");
    }
    if replay.has_forfeited(player) {
        line += ", forfeits";
    }
    line + "\n"
}

/// Six rows as seat 0 sees them, two characters a square: its ghosts in capitals, the other's in
/// small letters, red ones with `*` behind the letter.
fn drawing(position: &Position) -> [[String; 6]; 6] {
    let mut rows: [[String; 6]; 6] = std::array::from_fn(|_| std::array::from_fn(|_| ". ".into()));
    for seat in [0, 1] {
        for ghost in Ghost::ALL {
            let Place::On(square) = position.place(seat, ghost) else {
                continue;
            };
            let (square, letter) = match seat {
                0 => (square, ghost.letter()),
                _ => (square.turned(), ghost.letter().to_ascii_lowercase()),
            };
            let mark = match position.colour(seat, ghost) {
                geister::Colour::Red => '*',
                geister::Colour::Blue => ' ',
            };
            rows[usize::from(square.y())][usize::from(square.x())] = format!("{letter}{mark}");
        }
    }
    rows
}

/// The players with the names of their seats, and the drawing of a board below them.
fn two_seats<G: Game>(
    frame: &Frame<'_, G>,
    seats: [&str; 2],
    board: impl std::fmt::Display,
) -> String {
    let replay = frame.replay;
    let mut text = String::new();
    for (&player, seat) in replay.seating.players().iter().zip(seats) {
        let mark = mark(replay.mover() == Some(player));
        let out = if replay.has_forfeited(player) {
            ", forfeits"
        } else {
            ""
        };
        let _ = writeln!(text, "{mark} {seat} {}{out}", frame.name(player));
    }
    for line in format!("{board:#}").lines() {
        let _ = writeln!(text, "    {}", line.trim_end());
    }
    text
}

impl Show for ScoreFour {
    fn board(frame: &Frame<'_, ScoreFour>) -> String {
        two_seats(frame, ["x", "o"], frame.replay.game.board())
    }

    fn fields(frame: &Frame<'_, ScoreFour>) -> Value {
        let game = &frame.replay.game;
        json!({"moves": game.position(), "board": game.board().to_string()})
    }
}

impl Show for Dobutsu {
    fn board(frame: &Frame<'_, Dobutsu>) -> String {
        two_seats(frame, ["L", "l"], frame.replay.game.board())
    }

    fn fields(frame: &Frame<'_, Dobutsu>) -> Value {
        let game = &frame.replay.game;
        json!({"position": game.position(), "board": game.board().to_string()})
    }
}

impl Show for Blokus {
    fn board(frame: &Frame<'_, Blokus>) -> String {
        let replay = frame.replay;
        let player_of = |colour: Colour| replay.seating.player_at(Seat::new(colour.seat()));
        let mover = Colour::ALL
            .into_iter()
            .find(|&colour| replay.mover() == Some(player_of(colour)));
        let about = |colour: Colour| {
            let end = out(replay, colour).map_or(String::new(), |end| format!(", out: {end}"));
            frame.name(player_of(colour)) + &end
        };
        blokus_text(replay.game.board(), mover, replay.game.scores(), about)
    }

    fn fields(frame: &Frame<'_, Blokus>) -> Value {
        let (game, seating) = (&frame.replay.game, &frame.replay.seating);
        json!({
            "position": game.position(),
            "board": json!(game)["board"],
            "scores": seating.by_player(&game.scores().into()),
            "out": Colour::ALL.map(|colour| out(frame.replay, colour)),
        })
    }
}

/// The colours with their scores and what there is to say about each, then the board and the pieces that are left.
pub(super) fn blokus_text(
    board: &Board,
    mover: Option<Colour>,
    scores: [i16; Colour::ALL.len()],
    about: impl Fn(Colour) -> String,
) -> String {
    let mut text = String::new();
    for colour in Colour::ALL {
        let (mark, score) = (mark(mover == Some(colour)), scores[colour.index()]);
        let line = format!("{mark} {:<6} {score:>3}  {}", colour.name(), about(colour));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for line in board.to_string().lines() {
        let _ = writeln!(text, "    {line}");
    }
    for colour in Colour::ALL {
        let left: Vec<&str> = board.pieces_left(colour).iter().map(Piece::name).collect();
        let _ = writeln!(text, "    {:<6} left: {}", colour.name(), left.join(" "));
    }
    text
}

/// Why a colour plays no more.
fn out(replay: &Replay<Blokus>, colour: Colour) -> Option<&'static str> {
    let seat = Seat::new(colour.seat());
    let player = replay.seating.player_at(seat);
    if replay.has_forfeited(player) {
        return Some(replay.kinds[player].as_str());
    }
    replay.game.out(seat)
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::GameName;
    use record::{EndKind, Header, What};

    /// A position and the header of its record.
    struct Shown<G> {
        header: Header,
        replay: Replay<G>,
        what: What,
    }

    /// The position after some events of the last of the games of a match.
    fn shown<G: Show>(
        (name, games): (GameName, u32),
        players: &[&str],
        rules: &serde_json::Value,
        (seats, position): (&[u8], Option<&str>),
        events: &[What],
    ) -> Shown<G> {
        let players = players.iter().map(|name| record::Player {
            name: (*name).to_owned(),
            client: None,
        });
        let header = Header::new(name, "m", "native", players.collect(), games).with_rules(rules);
        let begin = What::Begin {
            game: games.min(2),
            seats: seats.to_vec(),
            ranks: None,
            hands: Vec::new(),
            position: position.map(str::to_owned),
        };
        let rules = Replay::<G>::rules(&header).unwrap();
        let mut replay = Replay::<G>::begin(&begin, &rules).unwrap().unwrap();
        for what in events {
            replay.apply(what).unwrap();
        }
        let what = events.last().unwrap().clone();
        Shown {
            header,
            replay,
            what,
        }
    }

    impl<G: Show> Shown<G> {
        fn frame(&self) -> Frame<'_, G> {
            Frame {
                header: &self.header,
                replay: &self.replay,
                what: &self.what,
            }
        }
    }

    #[test]
    fn blokus_board_scores_and_pieces_are_shown() {
        let forfeit = What::Forfeit {
            player: 2,
            kind: EndKind::Timeout,
            reason: "its time is up".to_owned(),
        };
        let shown: Shown<Blokus> = shown(
            (GameName::Blokus, 2),
            &["ana", "bo", "cho", "dan"],
            &json!({"scoring": "advanced"}),
            (&[1, 2, 3, 0], Some("a20,b20")),
            &[forfeit],
        );
        let text = shown.frame().text();
        let mut lines = text.lines();
        for due in [
            "game 2 of 2, ply 1: 2 cho is out by timeout: its time is up",
            "  blue   -87  1 bo",
            "  yellow -89  2 cho, out: timeout",
            "> red    -89  3 dan",
            "  green  -89  0 ana",
            "    20  B B . . . . . . . . . . . . . . . . . .",
        ] {
            assert_eq!(lines.next(), Some(due), "{text}");
        }
        assert!(text.contains("    blue   left: 1 I3 V3 I4"), "{text}");
        let json = shown.frame().json();
        assert_eq!(json["position"], "a20,b20;-yellow");
        assert_eq!(json["board"][0], "bb..................");
        assert_eq!(json["scores"], json!([-89, -87, -89, -89]));
        assert_eq!(json["out"], json!([null, "timeout", null, null]));
        assert_eq!(json["to_move"], 3);
    }

    #[test]
    fn geister_is_drawn_as_the_first_seat_sees_it() {
        let setup = |player, setup: &str| What::Setup {
            player,
            setup: setup.to_owned(),
            name: None,
        };
        let shown: Shown<GeisterGame> = shown(
            (GameName::Geister, 3),
            &["ana", "bo"],
            &json!({"ply-limit": 200}),
            (&[1, 0], None),
            &[setup(0, "ABCD"), setup(1, "EFGH"), What::play(1, "A,W")],
        );
        let due = "\
game 2 of 3, ply 1: 1 bo plays A,W
> 0 ana, red ABCD, lost 0 blue and 0 red
    .  h  g  f  e  .
    .  d* c* b* a* .
    .  .  .  .  .  .
    .  .  .  .  .  .
    A  .  B  C  D  .
    .  E* F* G* H* .
  1 bo, red EFGH, lost 0 blue and 0 red
";
        assert_eq!(shown.frame().text(), due);
        let json = shown.frame().json();
        assert_eq!(json["board"][4], "A . B C D .");
        assert_eq!(json["setups"], json!(["ABCD", "EFGH"]));
        assert_eq!(json["to_move"], 0);
    }

    #[test]
    fn dobutsu_is_drawn_with_its_hands() {
        let shown: Shown<Dobutsu> = shown(
            (GameName::Dobutsu, 2),
            &["ana", "bo"],
            &json!({"repetition": 3}),
            (&[1, 0], None),
            &[What::play(1, "2c2b"), What::play(0, "1a2b")],
        );
        let due = "\
game 2 of 2, ply 2: 0 ana plays 1a2b
> L 1 bo
  l 0 ana
       3  2  1
    a  g  l  .   hand c
    b  .  e  .
    c  .  .  .
    d  E  L  G   hand C
";
        assert_eq!(shown.frame().text(), due);
        let json = shown.frame().json();
        assert_eq!(json["position"], "2c2b 1a2b");
        assert_eq!(json["board"], "gl1/1e1/3/ELG b Cc 1");
        assert_eq!(json["to_move"], 1);
    }

    #[test]
    fn the_four_levels_of_score_four_are_drawn_side_by_side() {
        let shown: Shown<ScoreFour> = shown(
            (GameName::ScoreFour, 2),
            &["ana", "bo"],
            &json!({}),
            (&[1, 0], None),
            &[What::play(1, "b3"), What::play(0, "b3")],
        );
        let due = "\
game 2 of 2, ply 2: 0 ana plays b3
> x 1 bo
  o 0 ana
       level 1   level 2   level 3   level 4
    4  . . . .   . . . .   . . . .   . . . .
    3  . x . .   . o . .   . . . .   . . . .
    2  . . . .   . . . .   . . . .   . . . .
    1  . . . .   . . . .   . . . .   . . . .
       a b c d   a b c d   a b c d   a b c d
";
        assert_eq!(shown.frame().text(), due);
        let json = shown.frame().json();
        assert_eq!(
            (&json["moves"], &json["to_move"]),
            (&json!("b3b3"), &json!(1))
        );
    }
}
