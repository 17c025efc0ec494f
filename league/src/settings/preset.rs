//! Presets: what a league is when its file says no more than the game, or the name of a tournament.

use serde::Deserialize;

use super::{Clocks, Format, Groups, ProcessLife, Ranking, Rules, Run, Settings, TieBreak};
use crate::schedule::LeagueSeed;
use games::GameName;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// The `UECda` contest: sessions of 100 games with ranks carried over, seats drawn anew every three games,
    /// 5, 4, 3, 2, 1 points.
    Uecda,
    /// GAT's main event: both seats once, ten minutes for a game and then ten seconds a move, 3, 1, 0 points.
    GatMain,
    /// GAT's many-game event: each seat fifty times, a second a move without a budget; 3, 1, 0 points once for each
    /// pairing, by its wins, and the wins of all games where points are equal.
    GatMany,
    /// The experiment of the `BlokusZero` paper: 300 games of one against three copies of another, the first four
    /// plies uniformly random.
    BlokusPaper,
}

impl Preset {
    pub const fn game(self) -> GameName {
        match self {
            Preset::Uecda => GameName::Daihinmin,
            Preset::GatMain | Preset::GatMany => GameName::Geister,
            Preset::BlokusPaper => GameName::Blokus,
        }
    }

    /// Lays it over the defaults of its game.
    pub(super) fn apply(self, settings: &mut Settings) {
        match self {
            Preset::Uecda => {
                settings.session = 100;
                settings.deals = 10;
            }
            Preset::GatMain => {
                settings.points = Some(GAT_POINTS);
                settings.deals = 1;
                settings.clocks.game_ms = Some(600_000);
                settings.clocks.move_ms = Some(10_000);
            }
            Preset::GatMany => {
                settings.points = Some(GAT_POINTS);
                settings.ranking = Ranking {
                    pairing_points: Some(GAT_POINTS),
                    tie_breaks: vec![TieBreak::Points, TieBreak::Wins],
                };
                settings.deals = 50;
                settings.process = ProcessLife::Deals(50);
                settings.clocks.game_ms = None;
                settings.clocks.move_ms = Some(1000);
            }
            Preset::BlokusPaper => {
                settings.format = Format::Copies { challenger: 0 };
                settings.deals = 75;
                settings.random_plies = 4;
            }
        }
    }
}

/// Points of a win, a draw and a loss in GAT.
const GAT_POINTS: [f64; 3] = [3.0, 1.0, 0.0];

/// The plain league of a game.
///
/// Where the protocol allows for openings some first plies are random: two programs without chance would play the
/// same game for ever.
pub fn plain(game: GameName) -> Settings {
    let random_plies = match game {
        GameName::Daihinmin | GameName::Geister => 0,
        GameName::Blokus => 4,
        GameName::ScoreFour | GameName::Dobutsu => 2,
    };
    Settings {
        title: format!("League of {game}"),
        rules: Rules::usual(game),
        seed: LeagueSeed::Number(1),
        groups: Groups::default(),
        stages: Vec::new(),
        ranking: Ranking::default(),
        format: Format::RoundRobin,
        deals: 100,
        duplicate: true,
        session: 1,
        process: ProcessLife::Fixture,
        random_plies,
        points: None,
        clocks: Clocks {
            move_ms: Some(10_000),
            ..Clocks::default()
        },
        anchor: 0,
        margin: 20.0,
        sprt: None,
        records: false,
        entrants: Vec::new(),
        run: Run::default(),
    }
}
