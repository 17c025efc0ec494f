//! Players that are late in one game after the other, at the tables of all protocols.

use games::{ByPlayer, Player};

/// The games in a row in which each player of a table was late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeoutPolicy {
    /// Games in a row after which a player is set aside; 0 is any number.
    most: u32,
    in_a_row: ByPlayer<u32>,
}

impl TimeoutPolicy {
    /// That of so many players before their first game.
    pub fn new(most: u32, players: usize) -> TimeoutPolicy {
        TimeoutPolicy {
            most,
            in_a_row: ByPlayer::of(players, 0),
        }
    }

    /// Takes in a game that is over: whether each player was late in it.
    pub fn game(&mut self, late: impl IntoIterator<Item = bool>) {
        for (games, is_late) in self.in_a_row.iter_mut().zip(late) {
            *games = if is_late { *games + 1 } else { 0 };
        }
    }

    /// The players that are to be set aside: each was late in so many games in a row.
    pub fn due(&self) -> impl Iterator<Item = Player> {
        let most = self.most;
        let all = self.in_a_row.pairs();
        all.filter_map(move |(player, &games)| (most > 0 && games >= most).then_some(player))
    }

    /// Why such a player is set aside, for people.
    pub(crate) fn reason(&self) -> String {
        format!(
            "out of time in {} in a row",
            games::count_of_games(self.most)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_is_due_after_so_many_games_in_a_row() {
        let due = |most: u32, games: &[[bool; 2]]| -> Vec<u8> {
            let mut policy = TimeoutPolicy::new(most, 2);
            for game in games {
                policy.game(*game);
            }
            policy.due().map(Player::number).collect()
        };
        let (ana, bo, both, none) = ([true, false], [false, true], [true; 2], [false; 2]);
        assert_eq!(due(2, &[both, bo]), [1]);
        assert_eq!(due(2, &[ana, none, ana]), [0; 0]);
        assert_eq!(due(2, &[none, both, both]), [0, 1]);
        assert_eq!(due(0, &[both; 100]), [0; 0]);
    }

    #[test]
    fn the_reason_counts_games() {
        assert_eq!(
            TimeoutPolicy::new(1, 2).reason(),
            "out of time in 1 game in a row"
        );
    }
}
