//! Players that will not come.

use std::sync::Arc;

use tokio::sync::watch;

/// Players whose programs have ended: a table waits for them no longer.
#[derive(Clone, Debug, Default)]
pub struct Departures(Arc<watch::Sender<u32>>);

impl Departures {
    /// The program of a player has ended.
    pub fn add(&self, player: usize) {
        self.0
            .send_modify(|gone| *gone |= 1_u32.checked_shl(player as u32).unwrap_or(0));
    }

    /// Waits until the program of one of these players has ended, and says whose.
    pub(super) fn of(&self, players: &[usize]) -> impl Future<Output = usize> + Send + use<> {
        let awaited = players
            .iter()
            .fold(0, |mask, &player| mask | 1_u32 << player);
        let mut gone = self.0.subscribe();
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
