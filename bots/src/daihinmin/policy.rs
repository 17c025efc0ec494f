//! The engine `policy`.

use games::daihinmin::{Cards, Meld, View};

use super::engine::{Engine, gift_choices};
use super::information_state::InformationState;
use super::inputs::DaihinminNetworks;
use super::mover::Mover;
use crate::learning::likeliest;

/// Plays the likeliest move and gives the likeliest gift, without search.
#[derive(Debug)]
pub struct DaihinminPolicy {
    networks: DaihinminNetworks,
}

impl DaihinminPolicy {
    /// The engine with its networks.
    pub fn new(networks: DaihinminNetworks) -> DaihinminPolicy {
        DaihinminPolicy { networks }
    }
}

impl Engine for DaihinminPolicy {
    fn choose(&mut self, view: &View) -> Meld {
        Mover::new(&self.networks, 1.0).likeliest(&InformationState::of(view))
    }

    fn gift(&mut self, view: &View, n: u32) -> Cards {
        let gifts = gift_choices(view.hand, n);
        let mut mover = Mover::new(&self.networks, 1.0);
        let chances = mover.gift_chances(&InformationState::at_gift(view), &gifts);
        gifts[likeliest(chances)]
    }
}
