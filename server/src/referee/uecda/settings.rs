//! Settings and result of a `UECda` match.

use games::ByPlayer;
use games::daihinmin::{Chance, Dealer, SEATS, Session, SessionRules};
use record::{Clocks, EndKind};

use crate::config::{Compat, Uecda};

/// A session: games in which ranks carry over. Each session has a new dealer and begins without ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionSettings {
    /// Number of games, at least one.
    pub games: u32,
    /// The source of its dealer's random numbers.
    pub chance: Chance,
    /// The player for each number that the dealer draws.
    pub order: [u8; SEATS],
    /// Whether other seatings repeat its deals; the dealer is not the official one then, see [`Session::begin_duplicate`].
    pub duplicate: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct UecdaMatchSettings {
    /// The sessions in order; at least one.
    pub sessions: Vec<SessionSettings>,
    pub rules: SessionRules,
    /// Faults of the official server that this server repeats.
    pub compat: Compat,
    pub clocks: ByPlayer<Clocks>,
    /// A player that runs out of time in this many games in a row of a session loses its seat; 0 switches this off.
    pub timeouts: u32,
}

impl SessionSettings {
    /// A session in which the dealer's number n is player n.
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

impl UecdaMatchSettings {
    pub fn games(&self) -> u32 {
        self.sessions.iter().map(|session| session.games).sum()
    }

    /// The settings of a match with these deals on a server with these settings.
    pub fn new(settings: &Uecda, chance: Chance) -> UecdaMatchSettings {
        UecdaMatchSettings {
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

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchResult {
    pub games: u32,
    /// Points by player.
    pub points: [u32; SEATS],
    /// Number of times that each player took each place: `placings[player][place]`.
    pub placings: [[u32; SEATS]; SEATS],
    /// Number of refused melds and gifts of each player. They are not faults: a refused meld counts as a pass.
    pub refused: [u32; SEATS],
    /// End kind of the match for each player: the fault that cost the seat, otherwise its first fault.
    pub kinds: [EndKind; SEATS],
    /// Why the match ended before its last game.
    pub reason: Option<String>,
}
