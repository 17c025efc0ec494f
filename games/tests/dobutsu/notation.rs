//! Moves, positions and games read what they print, in each notation.

use taikyoku_games::dobutsu::{Move, ParseError, Position, Rules};
use taikyoku_games::{Dobutsu, Game as _, Sheet};

use super::{moves, position, random_game};

#[test]
fn every_notation_reads_what_it_prints() {
    for seed in 0..300 {
        for (position, _) in random_game(seed, Position::START) {
            assert_eq!(position.to_string().parse(), Ok(position));
            let seat = position.turn();
            for mv in moves(&position) {
                assert_eq!(mv.to_string().parse(), Ok(mv));
                assert_eq!(mv.to_string().to_uppercase().parse(), Ok(mv));
                assert_eq!(position.read_csa(&position.csa(mv)), Ok(mv));
                let line = mv.animal_shogi(seat);
                assert_eq!(Move::read_animal_shogi(&line), Ok((seat, mv)), "{line}");
            }
        }
    }
}

#[test]
fn the_notations_of_the_field() {
    let start = Position::START;
    assert_eq!(start.to_string(), "gle/1c1/1C1/ELG b - 1");
    assert_eq!("startpos".parse(), Ok(start));
    assert_eq!("gle/1c1/1C1/ELG b -".parse(), Ok(start));
    let chick: Move = "2c2b".parse().unwrap();
    assert_eq!(start.csa(chick), "+B3B2HI");
    assert_eq!(chick.animal_shogi(0), "+2c2b");
    // The giraffe stands on 1d of USI, which is 3d of the other.
    let giraffe: Move = "1d1c".parse().unwrap();
    assert_eq!(start.csa(giraffe), "+C4C3KI");
    assert_eq!(giraffe.animal_shogi(0), "+3d3c");
    let drops = position("1l1/C2/3/1L1 b GC 1");
    let written = |text: &str| {
        let mv = text.parse().unwrap();
        assert!(drops.is_legal(mv), "{text}");
        (drops.csa(mv), mv.animal_shogi(0))
    };
    assert_eq!(written("G*2c"), ("+00B3KI".into(), "+k*2c".into()));
    assert_eq!(written("C*1b"), ("+00C2HI".into(), "+h*3b".into()));
    assert_eq!(written("3b3a+"), ("+A2A1NI".into(), "+1b1a+".into()));
    let white = position("1l1/C2/3/1L1 w E 1");
    assert_eq!(white.csa("2a3b".parse().unwrap()), "-B1A2LI");
}

#[test]
fn positions_are_drawn_with_their_hands() {
    let due = "   3  2  1
a  .  l  .   hand g g
b +C  .  .
c  . +c  .
d  E  L  .   hand E
";
    let position = position("1l1/+C2/1+c1/EL1 w E2g 1");
    assert_eq!(format!("{position:#}"), due);
}

#[test]
fn what_is_no_move_or_position_is_refused() {
    for text in [
        "", "2c", "2c2", "4c2b", "2e2b", "2c2b++", "L*2c", "C*4c", "C*2c+", "四角", "0a1a",
    ] {
        assert!(text.parse::<Move>().is_err(), "{text}");
    }
    for text in [
        "", "2c2b", "+2c", "+4c2b", "+l*2b", "+2c2b+x", "*2c2b", "-h*2e",
    ] {
        assert!(Move::read_animal_shogi(text).is_err(), "{text}");
    }
    for text in [
        "", "B3B2HI", "-B3B2HI", "+B3B2KI", "+B3B2NO", "+00B3NI", "+00B3LI", "+D3B2HI", "+BあHI",
    ] {
        assert!(Position::START.read_csa(text).is_err(), "{text}");
    }
    for text in [
        "gle/1c1/1C1/ELG",
        "gle/1c1/1C1/ELG x - 1",
        "gle/1c1/1C1/ELG b - one",
        "gle/1c1/1C1 b - 1",
        "gle/1c2/1C1/ELG b - 1",
        "gle/1c1/1C1/EL b - 1",
        "gle/1c1/1C1/E+LG b - 1",
        "gle/1c1/1C1/ELG+ b - 1",
        "gle/1c1/1C1/ELG b C 1",
        "gle/1c1/3/ELG b 2C 1",
        "gle/1c1/3/ELG b L 1",
        "gle/1c1/3/ELG b 2 1",
        "gle/1c1/3/ELG b 999C 1",
        "3/3/3/1L1 b - 1",
        "1l1/3/1L1/1L1 b - 1",
        "gle/1c1/+1C1/ELG b - 1",
        "gle/1k1/1C1/ELG b - 1",
        // Their squares do not fit into a byte.
        &format!("gle/1c1/1C1/{} b - 1", "3".repeat(86)),
        &format!("gle/1c1/1C1/E{}LG b - 1", "1".repeat(255)),
    ] {
        assert!(text.parse::<Position>().is_err(), "{text}");
    }
    let error = "2c2".parse::<Move>().unwrap_err();
    assert_eq!(error, ParseError::Move("2c2".to_owned()));
}

#[test]
fn games_are_written_in_the_manner_of_csa() {
    let rules = Rules::default();
    let game = Dobutsu::read(&rules, "2c2b 1a2b G*2c").unwrap_err();
    assert_eq!(
        game.to_string(),
        "move 3 of the sequence: G*2c: there is no such piece in hand"
    );
    let game = Dobutsu::read(&rules, "2c2b 1a2b C*2c").unwrap();
    let about = Sheet {
        names: &["ana", "bo"],
        event: "m",
        game: 2,
        date: "2026-01-31",
        faults: &[None, Some("timeout")],
    };
    let due = "\
N+ana
N-bo
$EVENT:m game 2
$START_TIME:2026/01/31
'- forfeits: timeout
'sfen gle/1c1/1C1/ELG b - 1
P1-KI-LI-ZO
P2 * -HI * 
P3 * +HI * 
P4+ZO+LI+KI
+
+B3B2HI
-C1B2ZO
+00B3HI
";
    assert_eq!(game.sheet(&about), due);
    assert_eq!(Dobutsu::read_csa(&rules, due), Ok(game));
    let hands = Dobutsu::read(&rules, "sfen 1l1/3/3/1L1 w Gec moves C*2b").unwrap();
    let sheet = hands.sheet(&about);
    assert!(
        sheet.contains("P+00KI\nP-00ZO00HI\n-\n-00B2HI\n"),
        "{sheet}"
    );
    assert_eq!(Dobutsu::read_csa(&rules, &sheet), Ok(hands));
    let wrong = Dobutsu::read_csa(&rules, "+\n+B3B1HI\n").unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "line 2: 2c2a: the piece on 2c does not step to 2a"
    );
}
