//! What the engine `best` is made of.

/// What the engine is made of; each can be switched off to measure what it gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ingredients {
    /// Playouts and inference follow the learned policy; otherwise one of zero weights, which is
    /// uniform but for going out whenever it can.
    pub policy: bool,
    /// Inverse temperature of the playout policy.
    pub sharpness: f32,
    /// Look for a certain win first.
    pub sure_win: bool,
    /// Solve the end between the last two.
    pub endgame: bool,
    /// Value places by the games to come.
    pub ranks: bool,
    /// Exponent on the likelihood of the others' moves, which are weighed with the exchange of the
    /// other seats; 0 deals unseen cards uniformly. Off by default: matches prove no gain.
    pub trust: f32,
    /// Worlds weighed for each world used.
    pub oversample: usize,
    /// Virtual trials that the policy's chances give to the root moves.
    pub prior: f64,
    /// Choose gifts by playouts.
    pub exchange: bool,
}

impl Default for Ingredients {
    fn default() -> Ingredients {
        Ingredients {
            policy: true,
            sharpness: 1.0,
            sure_win: true,
            endgame: true,
            ranks: true,
            trust: 0.0,
            oversample: 4,
            prior: 0.0,
            exchange: true,
        }
    }
}
