//! Seats and players: where one sits at a table, and who sits there.
//!
//! A game counts by [`Seat`]: seat 0 moves first. A match counts by [`Player`]: players keep their
//! numbers while they change seats from game to game. [`Seating`] leads from one to the other.

use std::fmt;
use std::ops::{Deref, DerefMut, Index, IndexMut};

macro_rules! number_and_list {
    ($(#[$doc:meta])* $Number:ident, $(#[$list_doc:meta])* $List:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
        pub struct $Number(u8);

        impl $Number {
            /// The one with this number, from 0.
            #[inline]
            pub const fn new(number: u8) -> Self {
                Self(number)
            }

            /// The one with this index in a list.
            ///
            /// # Panics
            /// From 256 on: no table is that large.
            #[inline]
            pub const fn at(index: usize) -> Self {
                assert!(index < 256, "a table has fewer than 256 seats");
                Self(index as u8)
            }

            /// Its number, from 0.
            #[inline]
            pub const fn number(self) -> u8 {
                self.0
            }

            /// Its index in a list.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The first `n`, in order.
            ///
            /// # Panics
            /// From 256 on, as [`Self::at`].
            pub fn all(n: usize) -> impl ExactSizeIterator<Item = Self> + DoubleEndedIterator + Clone {
                assert!(n < 256, "a table has fewer than 256 seats");
                (0..n as u8).map(Self)
            }
        }

        impl fmt::Display for $Number {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        $(#[$list_doc])*
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
        pub struct $List<T>(Vec<T>);

        impl<T> $List<T> {
            /// A list of `n` that are made from their numbers.
            pub fn from_fn(n: usize, make: impl FnMut($Number) -> T) -> Self {
                $Number::all(n).map(make).collect()
            }

            /// A list of `n` that are equal.
            pub fn of(n: usize, value: T) -> Self
            where
                T: Clone,
            {
                Self(vec![value; n])
            }

            /// The numbers with what is listed for them.
            pub fn pairs(&self) -> impl ExactSizeIterator<Item = ($Number, &T)> {
                $Number::all(self.0.len()).zip(&self.0)
            }

            /// The numbers alone.
            pub fn numbers(&self) -> impl ExactSizeIterator<Item = $Number> + use<T> {
                $Number::all(self.0.len())
            }

            /// What is listed; `None` for a number that is beyond the list.
            pub fn get(&self, of: $Number) -> Option<&T> {
                self.0.get(of.index())
            }

            /// A list of what is made of each entry.
            pub fn map<U>(&self, make: impl FnMut(&T) -> U) -> $List<U> {
                self.0.iter().map(make).collect()
            }

            /// The entries in order.
            pub fn into_vec(self) -> Vec<T> {
                self.0
            }
        }

        impl<T> Index<$Number> for $List<T> {
            type Output = T;

            #[inline]
            fn index(&self, of: $Number) -> &T {
                &self.0[of.index()]
            }
        }

        impl<T> IndexMut<$Number> for $List<T> {
            #[inline]
            fn index_mut(&mut self, of: $Number) -> &mut T {
                &mut self.0[of.index()]
            }
        }

        impl<T> Deref for $List<T> {
            type Target = [T];

            #[inline]
            fn deref(&self) -> &[T] {
                &self.0
            }
        }

        impl<T> DerefMut for $List<T> {
            #[inline]
            fn deref_mut(&mut self) -> &mut [T] {
                &mut self.0
            }
        }

        impl<T> Default for $List<T> {
            fn default() -> Self {
                Self(Vec::new())
            }
        }

        impl<T> FromIterator<T> for $List<T> {
            fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
                Self(entries.into_iter().collect())
            }
        }

        impl<T> IntoIterator for $List<T> {
            type Item = T;
            type IntoIter = std::vec::IntoIter<T>;

            fn into_iter(self) -> Self::IntoIter {
                self.0.into_iter()
            }
        }

        impl<'a, T> IntoIterator for &'a $List<T> {
            type Item = &'a T;
            type IntoIter = std::slice::Iter<'a, T>;

            fn into_iter(self) -> Self::IntoIter {
                self.0.iter()
            }
        }

        impl<'a, T> IntoIterator for &'a mut $List<T> {
            type Item = &'a mut T;
            type IntoIter = std::slice::IterMut<'a, T>;

            fn into_iter(self) -> Self::IntoIter {
                self.0.iter_mut()
            }
        }

        impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for $List<T> {
            fn eq(&self, other: &[T; N]) -> bool {
                self.0 == other
            }
        }

        impl<T> From<Vec<T>> for $List<T> {
            fn from(entries: Vec<T>) -> Self {
                Self(entries)
            }
        }

        impl<T, const N: usize> From<[T; N]> for $List<T> {
            fn from(entries: [T; N]) -> Self {
                Self(entries.into())
            }
        }
    };
}

number_and_list!(
    /// A place at a table, from 0. Seat 0 moves first.
    Seat,
    /// An entry for each seat. It is a `Vec`, so not for playouts.
    BySeat
);
number_and_list!(
    /// A player of a match, from 0. Players keep their numbers while their seats change.
    Player,
    /// An entry for each player. It is a `Vec`, so not for playouts.
    ByPlayer
);

/// The players of a game in their seats: each of them in one seat, and one in each.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "BySeat<Player>", into = "BySeat<Player>")
)]
pub struct Seating {
    player_at: BySeat<Player>,
    seat_of: ByPlayer<Seat>,
}

/// A list that does not put each player in one seat.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("seats {:?} are not the {} players in some order", .0.map(|p| p.number()).into_vec(), .0.len())]
pub struct NotASeating(pub BySeat<Player>);

impl Seating {
    /// The players by seat.
    ///
    /// # Errors
    /// Unless each of the players 0 to n - 1 is listed once.
    pub fn new(player_at: BySeat<Player>) -> Result<Seating, NotASeating> {
        let mut seat_of = ByPlayer::of(player_at.len(), None);
        for seat in player_at.numbers() {
            match seat_of.get_mut(player_at[seat].index()) {
                Some(place @ None) => *place = Some(seat),
                Some(Some(_)) | None => return Err(NotASeating(player_at)),
            }
        }
        Ok(Seating {
            // There are as many seats as players, and no player has two: each player has one.
            seat_of: seat_of.into_iter().flatten().collect(),
            player_at,
        })
    }

    /// Player `i` in seat `i`.
    pub fn identity(n: usize) -> Seating {
        Seating::rotation(n, 0)
    }

    /// Player `i` in seat `i + by`, modulo `n`.
    pub fn rotation(n: usize, by: usize) -> Seating {
        let back = n - by % n.max(1);
        Seating {
            player_at: BySeat::from_fn(n, |seat| Player::at((seat.index() + back) % n)),
            seat_of: ByPlayer::from_fn(n, |player| Seat::at((player.index() + by) % n)),
        }
    }

    /// Number of seats, and of players.
    #[expect(clippy::len_without_is_empty, reason = "no table is without seats")]
    pub fn len(&self) -> usize {
        self.player_at.len()
    }

    /// The player in a seat.
    ///
    /// # Panics
    /// If there is no such seat.
    #[inline]
    pub fn player_at(&self, seat: Seat) -> Player {
        self.player_at[seat]
    }

    /// The seat of a player.
    ///
    /// # Panics
    /// If there is no such player.
    #[inline]
    pub fn seat_of(&self, player: Player) -> Seat {
        self.seat_of[player]
    }

    /// The players, by seat.
    pub fn players(&self) -> &BySeat<Player> {
        &self.player_at
    }

    /// The seats, by player.
    pub fn seats(&self) -> &ByPlayer<Seat> {
        &self.seat_of
    }

    /// A list by seat as one by player.
    ///
    /// # Panics
    /// If it has not an entry for each seat.
    pub fn by_player<T: Clone>(&self, of_seats: &BySeat<T>) -> ByPlayer<T> {
        assert_eq!(of_seats.len(), self.len(), "an entry for each seat");
        self.seat_of.map(|&seat| of_seats[seat].clone())
    }

    /// A list by player as one by seat.
    ///
    /// # Panics
    /// If it has not an entry for each player.
    pub fn by_seat<T: Clone>(&self, of_players: &ByPlayer<T>) -> BySeat<T> {
        assert_eq!(of_players.len(), self.len(), "an entry for each player");
        self.player_at.map(|&player| of_players[player].clone())
    }
}

impl TryFrom<BySeat<Player>> for Seating {
    type Error = NotASeating;

    fn try_from(player_at: BySeat<Player>) -> Result<Seating, NotASeating> {
        Seating::new(player_at)
    }
}

impl From<Seating> for BySeat<Player> {
    fn from(seating: Seating) -> BySeat<Player> {
        seating.player_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_and_players_lead_to_one_another() {
        let seating = Seating::new([2, 0, 1].map(Player::new).into()).unwrap();
        for seat in Seat::all(3) {
            assert_eq!(seating.seat_of(seating.player_at(seat)), seat);
        }
        let by_player = seating.by_player(&BySeat::from(["a", "b", "c"]));
        assert_eq!(*by_player, ["b", "c", "a"]);
        assert_eq!(*seating.by_seat(&by_player), ["a", "b", "c"]);
        for by in 0..6 {
            let rotation = Seating::rotation(3, by);
            assert_eq!(rotation.seat_of(Player::new(1)).index(), (1 + by) % 3);
            assert_eq!(Seating::new(rotation.players().clone()), Ok(rotation));
        }
    }

    #[test]
    fn a_list_that_is_no_seating_is_refused() {
        for wrong in [[0, 0], [1, 2], [1, 1]] {
            let error = Seating::new(wrong.map(Player::new).into()).unwrap_err();
            let text = format!("seats {wrong:?} are not the 2 players in some order");
            assert_eq!(error.to_string(), text);
        }
    }
}
