//! The games and their names.

use std::fmt;
use std::str::FromStr;

/// A game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum GameName {
    /// Daihinmin under the `UECda` rules.
    #[cfg_attr(feature = "serde", serde(alias = "uecda"))]
    Daihinmin,
    /// Geister.
    #[cfg_attr(feature = "serde", serde(alias = "gat"))]
    Geister,
    /// Blokus for four players.
    Blokus,
    /// 3D four-in-a-row.
    ScoreFour,
    /// Dobutsu shogi.
    Dobutsu,
}

/// Text that is not the name of a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{}` is not a game: there are {}", .0, all_names())]
pub struct UnknownGame(pub String);

fn all_names() -> String {
    let names = GameName::ALL.map(GameName::as_str);
    let (last, others) = names.split_last().expect("there are games");
    format!("{} and {last}", others.join(", "))
}

impl GameName {
    /// All games.
    pub const ALL: [GameName; 5] = [
        GameName::Daihinmin,
        GameName::Geister,
        GameName::Blokus,
        GameName::ScoreFour,
        GameName::Dobutsu,
    ];

    /// The number of seats.
    pub const fn seats(self) -> usize {
        match self {
            GameName::Daihinmin => crate::daihinmin::SEATS,
            GameName::Geister => crate::geister::SEATS,
            GameName::Blokus => crate::blokus::SEATS,
            GameName::ScoreFour => crate::score_four::SEATS,
            GameName::Dobutsu => crate::dobutsu::SEATS,
        }
    }

    /// The protocol of its tables, as records name it.
    pub const fn protocol(self) -> &'static str {
        match self {
            GameName::Daihinmin => "uecda",
            GameName::Geister => "gat",
            GameName::Blokus | GameName::ScoreFour | GameName::Dobutsu => "native",
        }
    }

    /// Whether the game hides nothing from its players.
    pub const fn is_open(self) -> bool {
        match self {
            GameName::Daihinmin | GameName::Geister => false,
            GameName::Blokus | GameName::ScoreFour | GameName::Dobutsu => true,
        }
    }

    /// The name as records and commands write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            GameName::Daihinmin => "daihinmin",
            GameName::Geister => "geister",
            GameName::Blokus => "blokus",
            GameName::ScoreFour => "score-four",
            GameName::Dobutsu => "dobutsu",
        }
    }
}

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Reads what [`GameName::as_str`] gives, and the names of the protocols `uecda` and `gat`, as serde
/// does.
impl FromStr for GameName {
    type Err = UnknownGame;

    fn from_str(text: &str) -> Result<GameName, UnknownGame> {
        match text {
            "uecda" => Ok(GameName::Daihinmin),
            "gat" => Ok(GameName::Geister),
            _ => GameName::ALL
                .into_iter()
                .find(|game| game.as_str() == text)
                .ok_or_else(|| UnknownGame(text.chars().take(20).collect())),
        }
    }
}

/// So many of these, in words: `1 win`, `2 wins`.
pub fn count_of(count: impl Into<u64>, one: &str, more: &str) -> String {
    match count.into() {
        1 => format!("1 {one}"),
        count => format!("{count} {more}"),
    }
}

/// So many games, in words: `1 game`, `2 games`.
pub fn count_of_games(count: impl Into<u64>) -> String {
    count_of(count, "game", "games")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize as _;
    use serde::de::IntoDeserializer as _;
    use serde::de::value::Error;

    use super::*;

    #[test]
    fn one_game_is_no_games() {
        assert_eq!(
            [0_u32, 1, 2].map(count_of_games),
            ["0 games", "1 game", "2 games"]
        );
    }

    #[test]
    fn games_go_by_their_own_names_and_those_of_their_protocols() {
        let names = GameName::ALL.map(|game| (game.as_str(), game));
        let others = [("uecda", GameName::Daihinmin), ("gat", GameName::Geister)];
        for (name, game) in names.into_iter().chain(others) {
            assert_eq!(name.parse(), Ok(game));
            let read: Result<_, Error> = GameName::deserialize(name.into_deserializer());
            assert_eq!(read, Ok(game));
        }
        assert_eq!("go".parse::<GameName>(), Err(UnknownGame("go".to_owned())));
    }
}
