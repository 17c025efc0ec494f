//! How games are played to learn from them.

use bots::search::puct::{FirstPlay, Gumbel, Noise, PuctPlan};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfPlan {
    /// The search, with noise or the draws of a Gumbel root.
    pub search: PuctPlan,
    /// Simulations of a full search, whose policy is learned.
    pub simulations: u64,
    /// Simulations of the other searches, which only find a good move: no noise, and nothing is learned of them but how
    /// the game ended.
    pub fast_simulations: u64,
    /// Share of full searches (playout-cap randomisation: D. J. Wu, "Accelerating self-play learning in Go",
    /// arXiv:1902.10565).
    pub full_share: f64,
    /// Most uniformly random plies at the start of a game; each number up to it is as likely.
    pub random_plies: u32,
    /// Plies, those of the opening among them, up to which moves are drawn by the visits of the search.
    pub drawn_plies: u32,
    /// Share of the score in the value of a position, where the network tells it, and in the worth of an end; the rest is
    /// the share in the win.
    pub score_share: f64,
    /// Playouts from each position that the network evaluates, mixed with its value half and half, where the game has any.
    pub leaf_playouts: u32,
    /// Before each search, wins of so many plies are looked for, where the game has a search for such; the move is played
    /// and learned as the only one. 0 for none.
    pub mate: u32,
}

impl SelfPlan {
    /// The paper's: 800 simulations, noise, 20 plies drawn.
    pub fn paper() -> Self {
        Self {
            search: PuctPlan {
                noise: Some(Noise::BLOKUS),
                memory: 64 << 20,
                ..PuctPlan::default()
            },
            simulations: 800,
            fast_simulations: 800,
            full_share: 1.0,
            random_plies: 0,
            drawn_plies: 20,
            score_share: 0.0,
            leaf_playouts: 0,
            mate: 0,
        }
    }

    /// Ours: a Gumbel root with few simulations.
    pub fn gumbel() -> Self {
        Self {
            search: PuctPlan {
                gumbel: Some(Gumbel::default()),
                first_play: FirstPlay::Below(0.0),
                reuse: false,
                memory: 8 << 20,
                ..PuctPlan::default()
            },
            simulations: 32,
            fast_simulations: 8,
            full_share: 0.5,
            random_plies: 4,
            drawn_plies: 20,
            score_share: 0.5,
            leaf_playouts: 0,
            mate: 0,
        }
    }

    pub(super) fn search_of(&self, is_full: bool, is_drawn: bool) -> PuctPlan {
        let mut plan = self.search;
        if !is_full {
            plan.noise = None;
        }
        if let Some(gumbel) = &mut plan.gumbel {
            gumbel.draws = gumbel.draws && (is_full || is_drawn);
        }
        plan
    }
}
