//! What a match of `UECda` is played by, and how it ended.

use games::ByPlayer;
use games::daihinmin::{Chance, Dealer, SEATS, Session, SessionRules};
use record::{Clocks, EndKind};

use crate::config::{Compat, Uecda};

/// Games in which ranks carry over. Each session has a fresh dealer and begins without ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionSettings {
    /// Games to play, at least one.
    pub games: u32,
    /// What its dealer draws from.
    pub chance: Chance,
    /// The player of each number that the dealer draws.
    pub order: [u8; SEATS],
    /// Whether others play its deals too: it is not the official dealer then, see [`Session::begin_duplicate`].
    pub duplicate: bool,
}

/// Settings of one match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchSettings {
    /// What is played, one after the other; at least one.
    pub sessions: Vec<SessionSettings>,
    /// Rules.
    pub rules: SessionRules,
    /// Faults of the official server to keep.
    pub compat: Compat,
    /// Limits of time of each player.
    pub clocks: ByPlayer<Clocks>,
    /// Games in a row of a session in which a player may be out of time: it is given up then; 0 is any number.
    pub timeouts: u32,
}

impl SessionSettings {
    /// A session whose players have the numbers that the dealer draws.
    pub const fn new(games: u32, chance: Chance) -> SessionSettings {
        SessionSettings {
            games,
            chance,
            order: [0, 1, 2, 3, 4],
            duplicate: false,
        }
    }

    pub(super) fn begin(&self, session: &mut Session) {
        if self.duplicate {
            session.begin_duplicate(self.chance, self.order);
        } else {
            session.begin_anew(Dealer::of(self.chance), self.order);
        }
    }
}

impl MatchSettings {
    /// Games of all sessions.
    pub fn games(&self) -> u32 {
        self.sessions.iter().map(|session| session.games).sum()
    }

    /// Those of a match with these deals on a server with these settings.
    pub fn new(settings: &Uecda, chance: Chance) -> MatchSettings {
        MatchSettings {
            sessions: vec![SessionSettings::new(settings.games, chance)],
            rules: settings.rules,
            compat: settings.compat,
            clocks: ByPlayer::of(
                SEATS,
                Clocks {
                    move_ms: settings.move_ms,
                    game_ms: settings.game_ms,
                    increment_ms: None,
                },
            ),
            timeouts: settings.timeouts,
        }
    }
}

/// How a match ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchResult {
    /// Games that counted.
    pub games: u32,
    /// Points by player.
    pub points: [u32; SEATS],
    /// How often each player took each place: `placings[player][place]`.
    pub placings: [[u32; SEATS]; SEATS],
    /// Melds and gifts of each player that were refused. They are no faults: a refused meld is a pass.
    pub refused: [u32; SEATS],
    /// How the match ended for each player: the fault that cost it its seat, else its first.
    pub kinds: [EndKind; SEATS],
    /// Why the match ended before its last game.
    pub reason: Option<String>,
}
