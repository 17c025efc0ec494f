//! The official server's settings file, `tndhms.cfg`, read as it is.
//!
//! A line is a key and a value between blanks; `#` begins a comment; keys and values may be in
//! any case. A key that asks for what this server does not show, such as a window, has no effect and a warning.
//! The dealer is not one of the file's settings: deals of `RAND_TYPE MT` can be computed from a hand, so that the caller asks
//! for them.
//! Where the official server would print a line number and play on with a default, this reader
//! stops: an organiser wants to know before the first game that a rule is not what the file says.

use super::{ConfigError, Uecda};

#[derive(Clone, Debug, PartialEq)]
pub struct Tndhms {
    pub uecda: Uecda,
    /// Lines that have no effect here, each with the file's name and its number.
    pub warnings: Vec<String>,
}

/// Longest name that the official server takes from the file.
const NAME_LETTERS: usize = 8;

/// Keys without an effect here: the value that asks for nothing, and what else to do, or what is so.
const WITHOUT_EFFECT: [(&str, &[&str], &str); 6] = [
    ("WINDOW_TYPE", &["none", "console"], WATCH_INSTEAD),
    ("CONSOLE_TYPE", &["none", "console"], WATCH_INSTEAD),
    ("GRAPH_WINDOW", &["none"], WATCH_INSTEAD),
    ("XPM_DIR_PATH", &[], ""),
    (
        "FLAG_HIDDEN_NAME",
        &["no"],
        "there is no blind show: results and `--watch` have the names",
    ),
    (
        "RULE_KINSOKU",
        &["no"],
        "this server does not have the rule",
    ),
];

const WATCH_INSTEAD: &str = "there is no window; `--watch PORT` shows the tables to `taikyoku web --watch` and `taikyoku watch`";

/// Rules that the contest does not use and this project does not have.
const NOT_HERE: [(&str, &str); 3] = [
    ("RULE_5TOBI", "skipping with fives"),
    ("RULE_6REVERS", "turning with sixes"),
    ("RULE_11BACK", "the jack's revolution"),
];

/// Reads a `tndhms.cfg`; `name` is the file's name in errors and warnings.
///
/// # Errors
/// The first line with a value that its key does not take, or that asks for a rule that this
/// server does not have.
pub fn read_tndhms(text: &str, name: &str) -> Result<Tndhms, ConfigError> {
    let mut read = Tndhms {
        uecda: Uecda::default(),
        warnings: Vec::new(),
    };
    let mut seats = Seats::default();
    for (i, line) in text.lines().enumerate() {
        let place = format!("{name}:{}", i + 1);
        apply(&mut read, &mut seats, line, &place).map_err(|reason| ConfigError {
            file: name.to_owned(),
            line: i + 1,
            reason,
        })?;
    }
    let every = seats.every.unwrap_or(read.uecda.rules.seat_change);
    read.uecda.rules.seat_change = if seats.off { 0 } else { every };
    Ok(read)
}

/// The two keys that make one setting here.
#[derive(Default)]
struct Seats {
    off: bool,
    every: Option<u32>,
}

fn apply(read: &mut Tndhms, seats: &mut Seats, line: &str, place: &str) -> Result<(), String> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split_ascii_whitespace();
    let Some(key) = words.next() else {
        return Ok(());
    };
    let upper = key.to_ascii_uppercase();
    let value = words.next();
    let mut warn = |text: String| read.warnings.push(format!("{place}: {text}"));
    if let Some((_, nothing, instead)) = WITHOUT_EFFECT.iter().find(|(key, ..)| *key == upper) {
        let asked = value.unwrap_or_default().to_ascii_lowercase();
        if !nothing.is_empty() && !nothing.contains(&asked.as_str()) {
            warn(format!("{upper} {asked}: {instead}"));
        }
        return Ok(());
    }
    let uecda = &mut read.uecda;
    let rules = &mut uecda.rules;
    if let Some((_, what)) = NOT_HERE.iter().find(|(key, _)| *key == upper) {
        return if yes_or_no(&upper, value)? {
            Err(format!(
                "{upper} yes: this server does not have the rule ({what}); the contest plays without it"
            ))
        } else {
            Ok(())
        };
    }
    match upper.as_str() {
        "RULE_KAKUMEI" => rules.game.revolution = yes_or_no(&upper, value)?,
        "RULE_SHIBARI" => rules.game.lock = yes_or_no(&upper, value)?,
        "RULE_KAIDAN" => rules.game.sequences = yes_or_no(&upper, value)?,
        "RULE_8GIRI" => rules.game.eight_cut = yes_or_no(&upper, value)?,
        "RULE_CHANGE" => rules.exchange = yes_or_no(&upper, value)?,
        "RULE_SEKIGAE" => seats.off = !yes_or_no(&upper, value)?,
        "RULE_SEKIGAE_NUM" => seats.every = Some(number(&upper, value)?),
        "FLASH_MIBUN_NUMBER" => rules.rank_reset = number(&upper, value)?,
        "GAME_NUMBER" => uecda.games = number(&upper, value)?,
        "PORT_NUMBER" => uecda.port = number(&upper, value)?,
        "FLAG_LOGGER" => uecda.official_log = yes_or_no(&upper, value)?,
        "FLAG_STATISTICS" => {
            if yes_or_no(&upper, value)? {
                warn(
                    "FLAG_STATISTICS: none are printed; `taikyoku replay --statistics RECORD...` does so \
                     from the records of `--records`"
                        .into(),
                );
            }
        }
        "RAND_TYPE" => {
            let kind = value.unwrap_or_default().to_ascii_uppercase();
            match kind.as_str() {
                "MT" => {}
                "ISO_NORMAL" => warn(
                    "RAND_TYPE ISO_NORMAL: the deals of the C library are not to be had here"
                        .into(),
                ),
                _ => return Err(format!("RAND_TYPE is MT or ISO_NORMAL, not '{kind}'")),
            }
        }
        "PLAYER1_NAME" | "PLAYER2_NAME" | "PLAYER3_NAME" | "PLAYER4_NAME" | "PLAYER5_NAME" => {
            let player = usize::from(upper.as_bytes()[6] - b'1');
            if let Some(value) = value {
                uecda.names[player] = value.chars().take(NAME_LETTERS).collect();
            }
        }
        _ => warn(format!("unknown key {key}, ignored")),
    }
    Ok(())
}

fn yes_or_no(key: &str, value: Option<&str>) -> Result<bool, String> {
    match value.map(str::to_ascii_lowercase).as_deref() {
        Some("yes") => Ok(true),
        Some("no") => Ok(false),
        Some(other) => Err(format!("{key} is yes or no, not '{other}'")),
        None => Err(format!("{key} has no value: yes or no")),
    }
}

fn number<N: std::str::FromStr>(key: &str, value: Option<&str>) -> Result<N, String> {
    let value = value.ok_or_else(|| format!("{key} has no value"))?;
    value
        .parse()
        .map_err(|_| format!("{key}: '{value}' is no number, or is too large"))
}

#[cfg(test)]
mod tests {
    use games::daihinmin::DealerKind;

    use super::*;

    const CONTEST: &str = "\
# window
WINDOW_TYPE\tconsole   # small|big
RULE_KAKUMEI yes
rule_shibari YES
RULE_KINSOKU no
RULE_KAIDAN Yes
RULE_5TOBI no
RULE_8GIRI yes
RULE_11BACK no
RULE_CHANGE yes
RULE_SEKIGAE yes
RULE_SEKIGAE_NUM 3
FLAG_LOGGER yes
GAME_NUMBER 500\r
FLASH_MIBUN_NUMBER 50
PORT_NUMBER 42486

RAND_TYPE MT
PLAYER2_NAME Kuro#comment
PLAYER3_NAME averylongname
FAVOURITE_COLOUR red
";

    #[test]
    fn the_contest_file_is_read() {
        let Tndhms { uecda, warnings } = read_tndhms(CONTEST, "tndhms.cfg").unwrap();
        assert_eq!((uecda.games, uecda.port), (500, 42486));
        assert_eq!(uecda.dealer, DealerKind::Modern);
        assert_eq!((uecda.rules.seat_change, uecda.rules.rank_reset), (3, 50));
        assert!(uecda.official_log && uecda.rules.exchange);
        assert_eq!(uecda.rules.game, games::daihinmin::Rules::default());
        assert_eq!(uecda.names[..3], ["Player 1", "Kuro", "averylon"]);
        assert_eq!(
            warnings,
            ["tndhms.cfg:21: unknown key FAVOURITE_COLOUR, ignored"]
        );
    }

    #[test]
    fn what_has_no_effect_is_told() {
        let warned = |text| read_tndhms(text, "x.cfg").unwrap().warnings;
        assert_eq!(
            warned("WINDOW_TYPE small\nGRAPH_WINDOW NONE\nXPM_DIR_PATH /x\n").len(),
            1
        );
        assert_eq!(
            warned("flag_hidden_name YES"),
            [
                "x.cfg:1: FLAG_HIDDEN_NAME yes: there is no blind show: results and `--watch` have the names"
            ]
        );
        assert_eq!(warned("FLAG_HIDDEN_NAME no\nRULE_KINSOKU no"), [""; 0]);
    }

    #[test]
    fn seat_changes_are_off_in_either_order() {
        for text in [
            "RULE_SEKIGAE no\nRULE_SEKIGAE_NUM 3\n",
            "RULE_SEKIGAE_NUM 3\nRULE_SEKIGAE no\n",
        ] {
            let read = read_tndhms(text, "x").unwrap();
            assert_eq!(read.uecda.rules.seat_change, 0);
        }
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text| read_tndhms(text, "x.cfg").unwrap_err().to_string();
        assert_eq!(
            error("\n# c\nRULE_5TOBI Yes\n"),
            "x.cfg:3: RULE_5TOBI yes: this server does not have the rule (skipping with fives); \
             the contest plays without it"
        );
        assert_eq!(
            error("RULE_8GIRI maybe"),
            "x.cfg:1: RULE_8GIRI is yes or no, not 'maybe'"
        );
        assert_eq!(
            error("RULE_8GIRI"),
            "x.cfg:1: RULE_8GIRI has no value: yes or no"
        );
        assert_eq!(
            error("PORT_NUMBER 99999"),
            "x.cfg:1: PORT_NUMBER: '99999' is no number, or is too large"
        );
        assert_eq!(
            error("RAND_TYPE dice"),
            "x.cfg:1: RAND_TYPE is MT or ISO_NORMAL, not 'DICE'"
        );
    }
}
