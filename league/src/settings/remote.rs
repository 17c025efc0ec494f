//! Entrants on machines of their own: where they connect, how they are known, what happens while they are missing, and the rules
//! of a ladder.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use protocol::uecda::SERVER_NAME_LEN;
use serde::Deserialize;

use super::MOST_VISITORS;
use super::Settings;
use games::GameName;
use server::config::limits::MOST_GREETED;

/// Port of the first remote entrant unless the file says otherwise.
const FIRST_PORT: u16 = 5100;

/// Most characters of a token of the native protocol, and least of any.
const LONGEST_TOKEN: usize = 64;
const SHORTEST_TOKEN: usize = 8;

/// Ports of remote entrants, and how long they are waited for. It is no part of the league: all of it may change.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Contest {
    pub host: String,
    /// Port of the first remote entrant; the next ones in the order of the file have the ports after it. With 0 the system
    /// chooses them.
    pub port: u16,
    /// Seconds that an entrant may be missing until `absent` applies.
    pub wait_s: u64,
    /// What becomes of the fixtures of an entrant that is missing for longer.
    pub absent: Absent,
    /// What becomes of a matchup that is given up, where a round is paired from all games of the rounds before.
    pub given_up: AbandonmentRule,
    /// What becomes of the fixtures that an entrant has left when it is disqualified.
    pub disqualified: Disqualified,
}

impl Default for Contest {
    fn default() -> Contest {
        Contest {
            host: "0.0.0.0".to_owned(),
            port: FIRST_PORT,
            wait_s: 300,
            absent: Absent::Wait,
            given_up: AbandonmentRule::Lost,
            disqualified: Disqualified::Lost,
        }
    }
}

/// The section `[ladder]` of a file. It is no part of what is played: all of it may change from one start to the next.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LadderRules {
    /// Whether clients without a token play, unrated and against entrants that the ladder starts.
    pub guests: bool,
    /// Rating points by which two at a table may differ; one more for each tenth of a second that one of them waits.
    pub reach: f64,
    /// Seconds until entrants that the ladder starts take the seats for which nobody has come.
    pub house_after_s: u64,
    /// Games until an entrant has a rank.
    pub ranked_after: u64,
    /// Seconds that an entrant waits for its next table after it has left one, twice as many for each further time on a day.
    pub quit_wait_s: u64,
    /// Seconds between two ratings.
    pub rate_every_s: u64,
    /// Days after which a game counts half; 0 is never.
    pub half_life_days: u32,
    /// Days after which the records of a day are kept in an archive alone; 0 is never.
    pub archive_after_days: u32,
}

impl Default for LadderRules {
    fn default() -> LadderRules {
        LadderRules {
            guests: true,
            reach: 200.0,
            house_after_s: 20,
            ranked_after: 20,
            quit_wait_s: 60,
            rate_every_s: 3600,
            half_life_days: 0,
            archive_after_days: 0,
        }
    }
}

/// What becomes of the fixtures of an entrant that is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Absent {
    /// They wait until it is back.
    #[default]
    Wait,
    /// They are played later, if it is back by then.
    Skip,
    /// They are played without it: its seat is that of a player that has left.
    Forfeit,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AbandonmentRule {
    /// All its players lose what is left of it, and the next round is paired.
    #[default]
    Lost,
    /// No other round is paired.
    Stop,
}

/// What becomes of the fixtures of an entrant that is disqualified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Disqualified {
    /// They are played without it: its seat is that of a player that has left.
    #[default]
    Lost,
    /// They are not played.
    NotPlayed,
}

impl Settings {
    /// How it is played as a ladder.
    pub fn ladder(&self) -> LadderRules {
        self.run.ladder.clone().unwrap_or_default()
    }

    /// The most connections of all remote entrants with so many tables: those that wait, those that play, those that are
    /// greeted, and those with wrong tokens.
    pub(crate) fn connections(&self, at_once: usize) -> usize {
        let remote = self.entrants.iter().filter(|e| e.comes_itself()).count();
        let playing = at_once.saturating_mul(self.seats());
        match remote {
            0 => 0,
            _ => (remote * MOST_VISITORS + 2 * MOST_GREETED).saturating_add(playing),
        }
    }
}

/// How a remote entrant is known. It is no part of the league, and its token is secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// The port that it connects to; 0 is any.
    pub port: u16,
    /// What its program has to say: in the native protocol the token of its hello, in `UECda` the name in its profile.
    pub token: Option<String>,
    /// File with the token, from the folder of the league's file.
    pub token_file: Option<PathBuf>,
    /// The address of its machine; `None` is any.
    pub address: Option<IpAddr>,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access")
            .field("port", &self.port)
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Access {
    /// Reads the token from its file, which lies in this folder.
    pub(super) fn read_token(&mut self, folder: &Path, game: GameName) -> Result<(), String> {
        let Some(file) = &self.token_file else {
            return Ok(());
        };
        let path = folder.join(file);
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        self.token = Some(text.trim().to_owned());
        self.check(game)
            .map_err(|reason| format!("{}: {reason}", path.display()))
    }

    /// Whether the protocol of the game carries the token.
    pub(crate) fn check(&self, game: GameName) -> Result<(), String> {
        let Some(token) = &self.token else {
            return Ok(());
        };
        let most = match game {
            GameName::Daihinmin => SERVER_NAME_LEN,
            _ => LONGEST_TOKEN,
        };
        let is_plain = token.chars().all(|c| c.is_ascii_graphic());
        if is_plain && (SHORTEST_TOKEN..=most).contains(&token.len()) {
            return Ok(());
        }
        let carrier = match game {
            GameName::Daihinmin => "a token that is the name in a profile of UECda",
            _ => "a token",
        };
        Err(format!(
            "{carrier} has {SHORTEST_TOKEN} to {most} printable ASCII characters without blanks, so that nobody finds it \
             out: take a longer or a shorter one"
        ))
    }
}
