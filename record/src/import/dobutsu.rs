//! Games of Dobutsu shogi in the manner of CSA, and as USI writes them.

use games::dobutsu::{Move, Rules};
use games::{Dobutsu, Game, GameName, OfferStep};

use super::draft::{Draft, check_count, header};
use super::{Format, Imported, Wrong};
use crate::{EndKind, What};

/// Rules under which a text may have been played, which does not tell them.
const RULES: [Rules; 4] = {
    let usual = Rules {
        repetition: 3,
        ply_limit: 0,
        any_try: false,
        free_promotion: false,
    };
    [
        usual,
        Rules {
            repetition: 2,
            ..usual
        },
        Rules {
            repetition: 0,
            ..usual
        },
        Rules::ANIMAL_SHOGI_SERVER,
    ]
};

/// Whether a line seems to be one of USI.
pub(super) fn is_usi(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    ["position", "startpos", "sfen", "moves"].contains(&first)
        || first.parse::<Move>().is_ok()
        || first.contains('/') && first.split('/').count() == 4
}

/// What a text tells of a game.
#[derive(Default)]
struct SheetNotes {
    names: [String; 2],
    /// Match, number of the game in it, and day.
    event: String,
    number: Option<u32>,
    date: String,
    /// By seat.
    faults: [Option<EndKind>; 2],
    /// The rule that has ended it.
    end: Option<String>,
    /// What has ended it without a rule, for the seat to move.
    leaves: Option<EndKind>,
}

/// The moves of a game under some rules, or why it cannot be played under them.
type Played<'a> = Box<dyn Fn(&Rules) -> Result<Dobutsu, Wrong> + 'a>;

/// The games of a text in the manner of CSA, one behind the other.
pub(super) fn import_csa(text: &str) -> Result<Imported, Wrong> {
    let games = parts(text).into_iter().map(|(before, part)| {
        let played = move |rules: &Rules| {
            Dobutsu::read_csa(rules, part).map_err(|e| in_line(before, &e.to_string()))
        };
        (SheetNotes::read(part), Box::new(played) as Played<'_>)
    });
    record(Format::Csa, &games.collect::<Vec<_>>())
}

/// The games of lines of USI.
pub(super) fn import_usi(text: &str) -> Result<Imported, Wrong> {
    let lines = (1_u64..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
    let games = lines.map(|(number, line)| {
        let line = line.trim();
        let line = line.strip_prefix("position").map_or(line, str::trim);
        let is_bare = line
            .split_whitespace()
            .next()
            .is_some_and(|word| word.contains('/'));
        let line = if is_bare {
            format!("sfen {line}")
        } else {
            line.to_owned()
        };
        let played =
            move |rules: &Rules| Dobutsu::read(rules, &line).map_err(|e| (number, e.to_string()));
        (SheetNotes::default(), Box::new(played) as Played<'_>)
    });
    record(Format::Usi, &games.collect::<Vec<_>>())
}

/// A record of the games under the first rules that fit all of them.
fn record(format: Format, games: &[(SheetNotes, Played<'_>)]) -> Result<Imported, Wrong> {
    let mut first_wrong = None;
    for rules in RULES {
        match record_under(rules, format, games) {
            Ok(made) => return Ok(made),
            Err(wrong) => first_wrong = first_wrong.or(Some(wrong)),
        }
    }
    Err(first_wrong.expect("rules were tried"))
}

fn record_under(
    mut rules: Rules,
    format: Format,
    games: &[(SheetNotes, Played<'_>)],
) -> Result<Imported, Wrong> {
    check_count(games.len()).map_err(|reason| (0, reason))?;
    let Some((first, _)) = games.first() else {
        return Err((0, "there is no game in it".to_owned()));
    };
    for (told, played) in games {
        // A game that ended at the limit of plies tells that limit.
        if told.end.as_deref() == Some("ply-limit") {
            rules.ply_limit = played(&rules)?.ply();
        }
    }
    let header = header(GameName::Dobutsu, &first.event, &first.names, &first.date);
    let mut draft = Draft::new(header.with_rules(&rules));
    for (number, (told, played)) in (1..).zip(games) {
        let wrong = |reason| (0, format!("game {number}: {reason}"));
        let game = played(&rules)?;
        play(&mut draft, told, &game, &first.names).map_err(wrong)?;
    }
    draft.close(format, false)
}

fn play(
    draft: &mut Draft<Dobutsu>,
    told: &SheetNotes,
    game: &Dobutsu,
    names: &[String; 2],
) -> Result<(), String> {
    let [first, second] = &told.names;
    let seats = match names {
        same if *same == told.names => [0, 1],
        [other, one] if one == first && other == second => [1, 0],
        _ => return Err("it is of other players than the first game".to_owned()),
    };
    let position = Dobutsu::from_position(game.rules(), *game.first()).position();
    draft.begin(What::Begin {
        game: draft.next_number(told.number),
        seats: seats.to_vec(),
        ranks: None,
        hands: Vec::new(),
        position: Some(position).filter(|position| !position.is_empty()),
    })?;
    for mv in game.moves() {
        let player = draft.game().mover().ok_or("a move behind the end")?;
        draft.take(What::play(player.number(), mv))?;
    }
    if told.end.as_deref() == Some(EndKind::Agreed.as_str()) {
        // The text does not tell who offered it.
        for (player, act) in [(0, OfferStep::Offer), (1, OfferStep::Accept)] {
            draft.take(What::Draw { player, act })?;
        }
        draft.end();
        return Ok(());
    }
    let rule = game.outcome().and_then(|outcome| outcome.rule);
    if let Some(end) = &told.end
        && rule != Some(&end[..])
    {
        return Err(format!(
            "it says that it ended by {end}, and its moves lead to another end"
        ));
    }
    if rule.is_none() {
        let of_mover = told.leaves.zip(draft.game().mover());
        let of_seat = || {
            let faults = seats.into_iter().zip(told.faults);
            faults
                .into_iter()
                .find_map(|(player, fault)| Some((player, fault?)))
        };
        let fault = of_mover.map(|(kind, player)| (player.number(), kind));
        if let Some((player, kind)) = fault.or_else(of_seat) {
            draft.forfeit(player, kind)?;
        }
    }
    draft.end();
    Ok(())
}

impl SheetNotes {
    fn read(part: &str) -> SheetNotes {
        let mut told = SheetNotes::default();
        for line in part.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix("N+") {
                name.clone_into(&mut told.names[0]);
            } else if let Some(name) = line.strip_prefix("N-") {
                name.clone_into(&mut told.names[1]);
            } else if let Some(event) = line.strip_prefix("$EVENT:") {
                let (event, number) = event.rsplit_once(" game ").unwrap_or((event, ""));
                event.clone_into(&mut told.event);
                told.number = number.parse().ok();
            } else if let Some(date) = line.strip_prefix("$START_TIME:") {
                let day = date.split_whitespace().next().unwrap_or_default();
                told.date = day.replace('/', "-");
            } else if let Some(end) = line.strip_prefix("'end: ") {
                told.end = Some(end.to_owned());
            } else if let Some((seat, kind)) = fault(line) {
                told.faults[seat] = Some(kind);
            } else {
                told.leaves = told.leaves.or(match line.split(',').next() {
                    Some("%TORYO") => Some(EndKind::Resign),
                    Some("%TIME_UP") => Some(EndKind::Timeout),
                    Some("%ILLEGAL_MOVE") => Some(EndKind::Illegal),
                    _ => None,
                });
            }
        }
        told
    }
}

/// A line such as `'- forfeits: timeout`.
fn fault(line: &str) -> Option<(usize, EndKind)> {
    let (sign, kind) = line.strip_prefix('\'')?.split_once(" forfeits: ")?;
    let seat = ["+", "-"].into_iter().position(|one| one == sign)?;
    Some((seat, serde_json::from_value(kind.into()).ok()?))
}

/// The parts of a text that have one game each, with the number of lines before each: the names or a slash part them.
fn parts(text: &str) -> Vec<(u64, &str)> {
    let mut parts = Vec::new();
    let (mut begin, mut lines_before) = (0, 0);
    let mut has_moves = false;
    let mut at = 0;
    for (number, line) in (0..).zip(text.split_inclusive('\n')) {
        let word = line.trim();
        let begins = word.starts_with("N+") || word.starts_with('V') || word == "/";
        if begins && has_moves {
            parts.push((lines_before, &text[begin..at]));
            (begin, lines_before, has_moves) = (at, number, false);
        }
        has_moves |= word.len() > 1 && word.starts_with(['+', '-']);
        at += line.len();
    }
    parts.push((lines_before, &text[begin..]));
    parts
}

/// A mistake, its line counted from the beginning of the whole text instead of that of its part.
fn in_line(before: u64, reason: &str) -> Wrong {
    let told = || {
        let (number, reason) = reason.strip_prefix("line ")?.split_once(": ")?;
        Some((before + number.parse::<u64>().ok()?, reason.to_owned()))
    };
    told().unwrap_or_else(|| (0, reason.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::import;
    use super::super::testing::{played, player_at, sheets};
    use games::Seat;
    use games::dobutsu::Position;

    use super::*;

    #[test]
    fn a_game_sheet_is_read_as_it_is_written() {
        let seat = Seat::new(1);
        let leaves = |kind: Option<EndKind>| {
            move |game: &Dobutsu| {
                let is_here = game.ply() == 7;
                let player = player_at::<Dobutsu>(seat).number();
                kind.filter(|_| is_here).map(|kind| (player, kind))
            }
        };
        let limited = Rules {
            ply_limit: 5,
            ..Rules::default()
        };
        for (rules, position, kind) in [
            (Rules::default(), None, None),
            (Rules::default(), Some("sfen 1l1/3/3/1L1 w Gec"), None),
            (Rules::default(), None, Some(EndKind::Resign)),
            (Rules::default(), None, Some(EndKind::Illegal)),
            (Rules::ANIMAL_SHOGI_SERVER, None, None),
            (limited, None, None),
        ] {
            let sheet = sheets::<Dobutsu>(&played::<Dobutsu>(&rules, position, leaves(kind)));
            let made = import(sheet.as_bytes()).unwrap();
            assert_eq!(
                (made.format, made.is_unfinished),
                (Format::Csa, false),
                "{sheet}"
            );
            assert_eq!(sheets::<Dobutsu>(&made.bytes), sheet);
        }
    }

    #[test]
    fn a_draw_by_agreement_is_read_as_it_is_written() {
        let text = "N+ana\nN-bo\n'end: agreed\n+\n+B3B2HI\n";
        let made = import(text.as_bytes()).unwrap();
        let record = String::from_utf8(made.bytes.clone()).unwrap();
        assert!(
            record.contains(r#""kinds":["agreed","agreed"]"#),
            "{record}"
        );
        let sheet = sheets::<Dobutsu>(&made.bytes);
        assert!(sheet.contains("'end: agreed"), "{sheet}");
        let again = import(sheet.as_bytes()).unwrap();
        assert_eq!(sheets::<Dobutsu>(&again.bytes), sheet);
    }

    #[test]
    fn games_of_csa_end_by_their_last_word_and_change_sides() {
        let text = "V2.2\nN+ana\nN-bo\n+\n+B3B2HI\n-A1A2KI\n%TORYO\n/\nN+bo\nN-ana\n+\n+B3B2HI\n";
        let made = import(text.as_bytes()).unwrap();
        assert_eq!((made.games, made.is_unfinished), (2, true));
        let record = String::from_utf8(made.bytes).unwrap();
        assert!(
            record.contains(r#""kinds":["resign","normal"]"#),
            "{record}"
        );
        assert!(record.contains(r#""game":2,"seats":[1,0]"#), "{record}");
    }

    #[test]
    fn lines_of_usi_are_games() {
        let made = |text: &str| import(text.as_bytes()).unwrap();
        let whole = made("position startpos moves 2c2b 3a3b 2b2a+");
        assert_eq!(
            (whole.format, whole.games, whole.is_unfinished),
            (Format::Usi, 1, false)
        );
        for text in [
            "2c2b 3a3b",
            "startpos",
            "sfen gle/1c1/1C1/ELG b - 1 moves 2c2b",
            "gle/1c1/1C1/ELG w - 1",
        ] {
            assert!(made(text).is_unfinished, "{text}");
        }
        assert_eq!(made("2c2b\n\nstartpos moves 1d1c\n").games, 2);
    }

    #[test]
    fn mistakes_are_named_with_their_lines() {
        for (text, line, reason) in [
            ("N+a\nN-b\n+\n+B3B1HI\n", 4, "does not step"),
            ("N+a\nP1 *  * -LI\n+B3B2HI\n", 2, "another start"),
            ("N+a\n+7776FU\n", 2, "is not a move"),
            ("'sfen gle/1c1 b -\n+B3B2HI", 1, "four ranks"),
            ("N+a\n'end: catch\n+B3B2HI\n", 0, "ended by catch"),
            ("N+a\nN-b\n+B3B2HI\nN+c\nN-d\n+B3B2HI\n", 0, "other players"),
            ("startpos moves 2c2b\n2c2b 2c2b", 2, "no own piece"),
        ] {
            let wrong = import(text.as_bytes()).unwrap_err();
            assert_eq!(wrong.line, line, "{wrong}");
            assert!(wrong.reason.contains(reason), "{wrong}");
        }
        assert_eq!(Position::START.to_string(), "gle/1c1/1C1/ELG b - 1");
    }
}
