//! The engine `policy`: the likeliest move of the network, without search.

use games::daihinmin::{Cards, Meld, View};

use super::Engine;
use super::best::gift_choices;
use super::network::Networks;
use super::policy::{Known, Mover, likeliest};

/// Plays the likeliest move and gives the likeliest gift.
#[derive(Debug)]
pub struct PolicyEngine {
    networks: Networks,
}

impl PolicyEngine {
    /// The engine with its networks.
    pub fn new(networks: Networks) -> PolicyEngine {
        PolicyEngine { networks }
    }
}

impl Engine for PolicyEngine {
    fn choose(&mut self, view: &View) -> Meld {
        Mover::new(&self.networks, 1.0).likeliest(&Known::of(view))
    }

    fn gift(&mut self, view: &View, n: u32) -> Cards {
        let gifts = gift_choices(view.hand, n);
        let mut mover = Mover::new(&self.networks, 1.0);
        let chances = mover.gift_chances(&Known::at_gift(view), &gifts);
        gifts[likeliest(chances)]
    }
}
