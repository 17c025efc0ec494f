//! Levels for people, from 1 to 9: names for specifications of engines, whose steps are of about the same size.

use games::GameName;

/// How strong an engine plays: 1 is for a beginner, 9 the strongest.
///
/// ```
/// use games::GameName;
/// use taikyoku_bots::Level;
///
/// let level = Level::named("level-9").expect("a level");
/// assert!(level.specification(GameName::Geister).starts_with("best:"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

const NAMES: [&str; 9] = [
    "level-1", "level-2", "level-3", "level-4", "level-5", "level-6", "level-7", "level-8",
    "level-9",
];

const DAIHINMIN: [&str; 9] = [
    "mc:playouts=2",
    "mc:playouts=4",
    "mc:playouts=8",
    "mc:playouts=20",
    "mc:playouts=60",
    "mc:playouts=300",
    "best:playouts=12:sharpness=0:prior=0:learn=off",
    "best:playouts=200:sharpness=0:prior=0:learn=off",
    "best:playouts=2000:learn=off",
];

const GEISTER: [&str; 9] = [
    "paper:temperature=4",
    "paper:temperature=2",
    "paper:temperature=0.3",
    "policy:temperature=1",
    "best:simulations=20:blunders=0.99:learn=off",
    "best:simulations=20:learn=off",
    "best:simulations=70:learn=off",
    "best:simulations=400:learn=off",
    "best:simulations=20000:learn=off",
];

const BLOKUS: [&str; 9] = [
    "greedy:epsilon=0.6",
    "greedy:epsilon=0.15",
    "mcts-maxn:playouts=60",
    "mcts-maxn:playouts=200",
    "mcts-maxn:playouts=700",
    "best:playouts=12:trust=0",
    "best:playouts=70:trust=0",
    "best:playouts=700:trust=0",
    "best:playouts=20000",
];

const SCORE_FOUR: [&str; 9] = [
    "flat:playouts=16",
    "flat:playouts=200",
    "uct:playouts=550",
    "uct:playouts=2500",
    "best:playouts=50",
    "best:playouts=400",
    "best:playouts=4000",
    "best:playouts=70000",
    "best:playouts=1000000",
];

const DOBUTSU: [&str; 9] = [
    "alphabeta:playouts=30:blunders=0.6",
    "alphabeta:playouts=30:blunders=0.3",
    "alphabeta:playouts=30:blunders=0.12",
    "alphabeta:playouts=100:blunders=0.07",
    "alphabeta:playouts=300:blunders=0.03",
    "alphabeta:playouts=700",
    "alphabeta:playouts=2500",
    "alphabeta:playouts=8000",
    "best:playouts=300000",
];

/// The specifications of a game's levels, from 1 on. They limit playouts and not the time, so that a level is as strong on a
/// slow machine. The table in docs/strength.md shows what each of them scores against the one below.
const fn specifications(game: GameName) -> [&'static str; 9] {
    match game {
        GameName::Daihinmin => DAIHINMIN,
        GameName::Geister => GEISTER,
        GameName::Blokus => BLOKUS,
        GameName::ScoreFour => SCORE_FOUR,
        GameName::Dobutsu => DOBUTSU,
    }
}

impl Level {
    pub const ALL: [Level; 9] = {
        let mut all = [Level(1); 9];
        let mut at = 0;
        while at < all.len() {
            all[at] = Level(at as u8 + 1);
            at += 1;
        }
        all
    };

    pub fn new(number: u8) -> Option<Level> {
        (1..=9).contains(&number).then_some(Level(number))
    }

    pub fn named(name: &str) -> Option<Level> {
        let mut all = Level::ALL.into_iter();
        all.find(|level| level.name().eq_ignore_ascii_case(name))
    }

    pub const fn name(self) -> &'static str {
        NAMES[self.0 as usize - 1]
    }

    /// The specification of the engine that plays at this level, for [`spec::read`](crate::spec::read).
    pub const fn specification(self, game: GameName) -> &'static str {
        specifications(game)[self.0 as usize - 1]
    }
}
