//! The log of the official server of `UECda`, see [`official_log`](crate::official_log).

use std::collections::HashMap;

use games::GameName;
use games::daihinmin::{Cards, Meld, Rules, SEATS, SessionRules};

use super::draft::{Draft, header};
use super::{Format, Imported, Wrong};
use crate::{DaihinminGame, EndKind, What};

/// Rules of the official server that this project does not have.
const OTHER_RULES: [&str; 3] = ["RULE_5TOBI", "RULE_6REVERS", "RULE_11BACK"];

/// The value of a line, and its number.
type Value<'a> = (u64, &'a str);

/// The games of a log. One whose result is not written yet is left out.
pub(super) fn import(text: &str) -> Result<Imported, Wrong> {
    let mut settings: HashMap<&str, Value<'_>> = HashMap::new();
    let mut game: HashMap<&str, Value<'_>> = HashMap::new();
    let mut draft: Option<Draft<DaihinminGame>> = None;
    let mut is_cut = false;
    let mut of_lines = None;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let mut parts = line.trim_start().splitn(4, '%').skip(1);
        let (Some(of), Some(key), Some(value)) = (parts.next(), parts.next(), parts.next()) else {
            return Err((number, "lines are such as `%00000%play% 0D3EE`".to_owned()));
        };
        let value = (number, value.trim());
        let Ok(of) = of.parse::<u32>() else {
            settings.insert(key, value);
            continue;
        };
        if of_lines != Some(of) {
            // A game that was broken off gives nothing to the next one.
            game.clear();
            of_lines = Some(of);
        }
        let draft = match &mut draft {
            Some(draft) => draft,
            none => none.insert(begin(&settings)?),
        };
        game.insert(key, value);
        is_cut = key != "points" && key != "result";
        if key == "result" {
            play(draft, of.saturating_add(1), &std::mem::take(&mut game))?;
        }
    }
    let none = || (0, "there is no game in it".to_owned());
    let mut made = draft.ok_or_else(none)?.close(Format::UecdaLog, false)?;
    made.is_unfinished = is_cut;
    Ok(made)
}

/// The record of a match with these settings.
fn begin(settings: &HashMap<&str, Value<'_>>) -> Result<Draft<DaihinminGame>, Wrong> {
    let is_on = |key: &str| {
        settings
            .get(key)
            .map(|(_, value)| value.eq_ignore_ascii_case("yes"))
    };
    let number = |key: &str| {
        settings
            .get(key)
            .and_then(|(_, value)| value.parse::<u32>().ok())
    };
    for key in OTHER_RULES {
        if let Some((line, _)) = settings.get(key).filter(|_| is_on(key) == Some(true)) {
            return Err((*line, format!("{key} is on, a rule that is not known here")));
        }
    }
    let usual = SessionRules::default();
    let on = |key, usual| is_on(key).unwrap_or(usual);
    let rules = SessionRules {
        game: Rules {
            revolution: on("RULE_KAKUMEI", usual.game.revolution),
            lock: on("RULE_SHIBARI", usual.game.lock),
            sequences: on("RULE_KAIDAN", usual.game.sequences),
            eight_cut: on("RULE_8GIRI", usual.game.eight_cut),
        },
        exchange: on("RULE_CHANGE", usual.exchange),
        seat_change: match is_on("RULE_SEKIGAE") {
            Some(false) => 0,
            _ => number("RULE_SEKIGAE_NUM").unwrap_or(usual.seat_change),
        },
        rank_reset: number("FLASH_MIBUN_NUMBER").unwrap_or(usual.rank_reset),
    };
    // The official server spells it so.
    let names = ["palyer_name", "player_name"]
        .into_iter()
        .find_map(|key| settings.get(key));
    let mut names: Vec<&str> = names.map_or(Vec::new(), |(_, names)| names.split(' ').collect());
    names.resize(SEATS, "");
    let began = settings.get("TIME_START").map_or("", |(_, began)| began);
    let began = began.replace('/', "-").replace(' ', "T");
    let header = header(GameName::Daihinmin, "", &names, &began);
    Ok(Draft::new(header.with_rules(&rules)))
}

fn play(
    draft: &mut Draft<DaihinminGame>,
    number: u32,
    told: &HashMap<&str, Value<'_>>,
) -> Result<(), Wrong> {
    let (result_line, result) = told["result"];
    let line = |key: &str| {
        let lacks = || (result_line, format!("the game lacks its line `{key}`"));
        told.get(key).copied().ok_or_else(lacks)
    };
    let cards = ["palyer_cards", "player_cards"]
        .into_iter()
        .find_map(|key| told.get(key));
    let no_cards =
        "the game lacks its line `palyer_cards`: without the hands it cannot be played again";
    let &(hands_line, hands) = cards.ok_or_else(|| (result_line, no_cards.to_owned()))?;
    let (seat_line, seats) = line("seat")?;
    let seats = players(seats).ok_or_else(|| (seat_line, FIVE.to_owned()))?;
    let (ranks_line, ranks) = line("mibun")?;
    let ranks = match ranks {
        "22222" => None,
        ranks => Some(players(ranks).ok_or_else(|| (ranks_line, FIVE.to_owned()))?),
    };
    let hands: Vec<String> = hands.split_whitespace().map(str::to_owned).collect();
    let order = players(result).ok_or_else(|| (result_line, FIVE.to_owned()))?;
    let begin = What::Begin {
        game: draft.next_number(Some(number)),
        seats,
        ranks: ranks.clone(),
        hands,
        position: None,
    };
    draft.begin(begin).map_err(|reason| (hands_line, reason))?;
    let (gifts_line, gifts) = line("change_cards")?;
    for gift in gifts.split_whitespace().filter(|gift| *gift != "NULL") {
        let given = give(draft, gift, ranks.as_deref());
        given.map_err(|reason| (gifts_line, format!("{}: {reason}", short(gift))))?;
    }
    if !draft.game().game.is_exchanged() {
        let reason = "the game lacks a gift: its exchange is not whole";
        return Err((gifts_line, reason.to_owned()));
    }
    let (plays_line, plays) = line("play")?;
    for (at, word) in (1..).zip(plays.split_whitespace()) {
        let wrong = |reason| (plays_line, format!("move {at}: {reason}"));
        lay(draft, word).map_err(wrong)?;
        if draft.game().game.position.table.is_stalled() {
            let left = |player: &u8| {
                let replay = draft.game();
                let seat = replay.seating.seat_of(games::Player::new(*player));
                replay.game.position.table.is_alive(seat.number())
            };
            let order = order.iter().copied().filter(left).collect();
            draft.take(What::Lot { order }).map_err(wrong)?;
        }
    }
    let places = draft.game().places();
    let due = |player: u8| order.iter().position(|&one| one == player);
    let agrees = places.is_some_and(|places| {
        let mut places = (0..).zip(places.iter());
        places.all(|(player, &place)| due(player) == Some(usize::from(place)))
    });
    if !agrees {
        let reason = "the moves lead to another result";
        return Err((result_line, reason.to_owned()));
    }
    draft.end();
    Ok(())
}

const FIVE: &str = "the numbers 0 to 4 are wanted in some order";

fn players(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.bytes().map(|digit| digit.checked_sub(b'0')).collect();
    let digits = digits.filter(|digits| digits.len() == SEATS)?;
    (0..SEATS as u8)
        .all(|player| digits.contains(&player))
        .then_some(digits)
}

/// What an error shows of a word.
fn short(word: &str) -> String {
    word.chars().take(20).collect()
}

/// A player and its cards.
fn read(word: &str) -> Option<(u8, &str)> {
    let rest = word.strip_suffix("EE")?;
    let (player, cards) = rest.split_at_checked(1)?;
    let player = player
        .parse()
        .ok()
        .filter(|&player: &u8| usize::from(player) < SEATS)?;
    Some((player, cards))
}

/// A gift such as `43SAC2EE`: player 4 gives to player 3.
fn give(draft: &mut Draft<DaihinminGame>, word: &str, ranks: Option<&[u8]>) -> Result<(), String> {
    let gift = read(word).and_then(|(from, rest)| {
        let (to, cards) = rest.split_at_checked(1)?;
        Some((from, to.parse::<u8>().ok()?, cards.parse::<Cards>().ok()?))
    });
    let (from, to, cards) = gift.ok_or("a gift is such as `43SAC2EE`")?;
    let rank = |player: u8| ranks.and_then(|ranks| ranks.get(usize::from(player)).copied());
    let owed = match (rank(from), rank(to)) {
        (Some(0), Some(4)) | (Some(4), Some(0)) => 2,
        (Some(1), Some(3)) | (Some(3), Some(1)) => 1,
        _ => 0,
    };
    if cards.len() != owed {
        return Err(format!("the ranks ask for {owed} cards"));
    }
    let mut what = What::give(from, to, cards);
    if let What::Give { forced, .. } = &mut what {
        *forced = rank(from) > rank(to);
    }
    draft.take(what)
}

/// A move such as `2H8D8C8EE`. What the rules forbid was refused, and counts as a pass.
fn lay(draft: &mut Draft<DaihinminGame>, word: &str) -> Result<(), String> {
    let wrong = || format!("{} is no move: write one such as `2H8D8C8EE`", short(word));
    let (player, sent) = read(word).ok_or_else(wrong)?;
    let are_cards = sent.as_bytes().chunks(2).all(|cell| {
        matches!(cell, [suit, rank] if b"SHDCJKLMN".contains(suit) && b"x3456789TJQKA2".contains(rank))
    });
    if !are_cards {
        return Err(wrong());
    }
    let meld = sent.parse::<Meld>();
    let reason = match meld {
        Ok(meld) => match draft.attempt(What::play(player, meld)) {
            Ok(()) => return Ok(()),
            Err(reason) => reason,
        },
        Err(reason) => reason.to_string(),
    };
    draft.take(What::Refused {
        player,
        sent: sent.to_owned(),
        reason: reason.clone(),
    })?;
    let mut pass = What::play(player, Meld::PASS);
    if let What::Move { fault, .. } = &mut pass {
        *fault = Some(EndKind::Illegal);
    }
    // A pass cannot be out of turn either.
    draft.take(pass).map_err(|_| reason)
}

#[cfg(test)]
mod tests {
    use games::daihinmin::{Chance, DealerKind};

    use super::super::import;
    use crate::official_log::OfficialLog;
    use crate::replay::record_of_daihinmin;
    use crate::{Header, Record};

    use super::*;

    /// The log of a record, as lines without those that say where and when.
    fn log_of(record: &[u8]) -> String {
        let Record { header, events, .. } = Record::read(record, "r").unwrap();
        let mut header: Header = header;
        for (number, player) in header.players.iter_mut().enumerate() {
            player.name = format!("p{number}");
        }
        let rules: SessionRules = serde_json::from_value(header.rules.clone()).unwrap();
        let mut out = Vec::new();
        let mut log = OfficialLog::new(&mut out, &rules, 0, &header).unwrap();
        for event in &events {
            log.event(event).unwrap();
        }
        let text = String::from_utf8(out).unwrap();
        let is_same = |line: &&str| !line.contains("%TIME_") && !line.contains("%RANDOM_");
        text.lines()
            .filter(is_same)
            .fold(String::new(), |all, line| all + line + "\n")
    }

    fn match_of(games: u32, passes: bool) -> String {
        let chance = Chance::Seed(DealerKind::Modern, 4);
        log_of(&record_of_daihinmin(games, chance, passes))
    }

    #[test]
    fn a_log_is_read_as_it_is_written() {
        for (games, passes) in [(12, false), (2, true)] {
            let log = match_of(games, passes);
            let made = import(log.as_bytes()).unwrap();
            assert_eq!(
                (made.format, made.games, made.is_unfinished),
                (Format::UecdaLog, games, false)
            );
            assert_eq!(log_of(&made.bytes), log);
        }
    }

    #[test]
    fn a_game_that_is_cut_off_is_left_out() {
        let log = match_of(3, false);
        let cut = log.find("%00002%play%").unwrap();
        let made = import(&log.as_bytes()[..cut]).unwrap();
        assert_eq!((made.games, made.is_unfinished), (2, true));
    }

    #[test]
    fn a_meld_that_was_refused_is_a_pass() {
        let log = match_of(1, false);
        // The first pass, as a meld of cards that nobody has.
        let line = log.lines().find(|line| line.contains("%play%")).unwrap();
        let pass = line
            .split_whitespace()
            .find(|word| word.len() == 3)
            .unwrap();
        let sent = format!(" {}{}EE", &pass[..1], "S3H4");
        let other = log.replace(line, &line.replacen(&format!(" {pass}"), &sent, 1));
        let made = import(other.as_bytes()).unwrap();
        assert_eq!(log_of(&made.bytes), log);
        assert!(
            String::from_utf8(made.bytes)
                .unwrap()
                .contains(r#""sent":"S3H4""#)
        );
    }

    #[test]
    fn what_is_damaged_or_lacks_the_hands_is_refused_with_its_line() {
        let log = match_of(2, false);
        let line = |key: &str| {
            let found = log.lines().position(|line| line.starts_with(key));
            found.unwrap() as u64 + 1
        };
        let without = |key: &str| {
            let lines = log.lines().filter(|line| !line.starts_with(key));
            lines.fold(String::new(), |all, line| all + line + "\n")
        };
        let plays = log
            .lines()
            .find(|line| line.starts_with("%00001%play%"))
            .unwrap();
        for (text, line, reason) in [
            (
                without("%00001%palyer_cards%"),
                line("%00001%result%") - 1,
                "without the hands",
            ),
            (
                without("%00000%play%"),
                line("%00000%result%") - 1,
                "lacks its line `play`",
            ),
            (
                without("%00001%change_cards%"),
                line("%00001%result%") - 1,
                "lacks its line `change_cards`",
            ),
            (
                log.replace("RULE_5TOBI% NO", "RULE_5TOBI% YES"),
                line("%-----%RULE_5TOBI%"),
                "not known here",
            ),
            (
                log.replace(plays, &plays[..plays.len() - 1]),
                line("%00001%play%"),
                "is no move",
            ),
            (
                log.replace(
                    plays,
                    plays[..plays.len() - 10].trim_end_matches(|c| c != 'E'),
                ),
                line("%00001%result%"),
                "another result",
            ),
            (
                log.replace("%00000%seat% ", "%00000%seat% 1"),
                line("%00000%seat%"),
                "0 to 4",
            ),
            (
                log.clone() + "%00002\n",
                log.lines().count() as u64 + 1,
                "lines are such as",
            ),
        ] {
            let wrong = import(text.as_bytes()).unwrap_err();
            assert!(wrong.reason.contains(reason), "{wrong}, not {reason}");
            assert_eq!(wrong.line, line, "{wrong}");
        }
    }
}
