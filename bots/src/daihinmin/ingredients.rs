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

impl Ingredients {
    /// Sets one by name: `policy`, `sure-win`, `endgame`, `ranks`, `exchange` (on or off),
    /// `sharpness`, `trust`, `oversample`, `prior` (numbers).
    ///
    /// # Errors
    /// When the name or the value does not fit; says which are there.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let switch = || match value {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err(format!("'{value}' is not on or off")),
        };
        let number = || {
            value
                .parse::<f32>()
                .map_err(|_| format!("'{value}' is no number for {name}"))
        };
        match name {
            "policy" => self.policy = switch()?,
            "sure-win" => self.sure_win = switch()?,
            "endgame" => self.endgame = switch()?,
            "ranks" => self.ranks = switch()?,
            "exchange" => self.exchange = switch()?,
            "sharpness" => self.sharpness = number()?,
            "trust" => self.trust = number()?,
            "oversample" => self.oversample = number()?.max(1.0) as usize,
            "prior" => self.prior = f64::from(number()?),
            _ => {
                return Err(format!(
                    "no ingredient '{name}': policy, sharpness, sure-win, endgame, ranks, trust, \
                     oversample, prior, exchange"
                ));
            }
        }
        Ok(())
    }
}
