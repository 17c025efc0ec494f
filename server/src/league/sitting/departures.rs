//! Players that will not come.

use std::sync::{Arc, OnceLock};

use tokio::sync::watch;

/// Players whose programs have ended: a table waits for them no longer. The table itself says for whom it has waited in
/// vain.
#[derive(Clone, Debug, Default)]
pub struct Departures {
    gone: Arc<watch::Sender<u32>>,
    missed: Arc<OnceLock<usize>>,
}

impl Departures {
    /// The program of a player has ended.
    pub fn add(&self, player: usize) {
        self.gone
            .send_modify(|gone| *gone |= 1_u32.checked_shl(player as u32).unwrap_or(0));
    }

    /// The player because of whom the table was not full.
    pub fn missed(&self) -> Option<usize> {
        self.missed.get().copied()
    }

    /// The table was not full because of this player.
    pub(super) fn miss(&self, player: usize) {
        // Only the first counts.
        let _ = self.missed.set(player);
    }

    /// Waits until the program of one of these players has ended, and says whose.
    pub(super) fn of(&self, players: &[usize]) -> impl Future<Output = usize> + Send + use<> {
        let awaited = players
            .iter()
            .fold(0, |mask, &player| mask | 1_u32 << player);
        let mut gone = self.gone.subscribe();
        async move {
            let changed = gone.wait_for(|gone| gone & awaited != 0).await;
            match changed.map(|gone| *gone & awaited) {
                Ok(gone) => gone.trailing_zeros() as usize,
                // Nobody can say so any more.
                Err(_) => std::future::pending().await,
            }
        }
    }
}
