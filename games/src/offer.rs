//! Offers of one player of a game for two to the other, such as of a draw.

use crate::{BySeat, Seat};

/// What a player says about an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum OfferStep {
    /// It offers something.
    Offer,
    /// It accepts what the other player offers.
    Accept,
    /// It declines what the other player offers.
    Decline,
    /// It takes its own offer back.
    Withdraw,
}

impl OfferStep {
    /// All steps.
    pub const ALL: [OfferStep; 4] = [
        OfferStep::Offer,
        OfferStep::Accept,
        OfferStep::Decline,
        OfferStep::Withdraw,
    ];

    /// The step as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            OfferStep::Offer => "offer",
            OfferStep::Accept => "accept",
            OfferStep::Decline => "decline",
            OfferStep::Withdraw => "withdraw",
        }
    }
}

/// Why something cannot be said about an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoOffer {
    /// An offer of either player is open.
    #[error("an offer is open already")]
    Open,
    /// The other player has offered nothing, or no more.
    #[error("the other player offers nothing")]
    NotOffered,
    /// The player itself has offered nothing, or no more.
    #[error("you offer nothing")]
    NotOwn,
    /// The last offer of the player was too few plies ago.
    #[error("after an offer the next one waits for {0} plies")]
    TooSoon(u32),
}

/// The offers of one kind in a game for two. One is open at a time; the next move of either player ends it.
///
/// ```
/// use taikyoku_games::{NoOffer, OfferStep, Offers, Seat};
///
/// let [first, second] = [Seat::new(0), Seat::new(1)];
/// let mut draws = Offers::new(10);
/// draws.take(0, first, OfferStep::Offer)?;
/// assert_eq!(draws.take(0, first, OfferStep::Accept), Err(NoOffer::NotOffered));
/// draws.take(0, second, OfferStep::Accept)?;
/// # Ok::<(), NoOffer>(())
/// ```
#[derive(Clone, Debug)]
pub struct Offers {
    open: Option<Seat>,
    /// By seat, the ply from which it may offer.
    next: BySeat<u32>,
    plies_between: u32,
}

impl Offers {
    /// Plies from an offer of a draw to the next one of the same player: offers one after the other would press the opponent.
    pub const BETWEEN_DRAWS: u32 = 10;

    /// No offer is open. Each player can offer again this many plies after its last offer.
    pub fn new(plies_between: u32) -> Offers {
        Offers {
            open: None,
            next: BySeat::of(2, 0),
            plies_between,
        }
    }

    /// Either player has moved.
    pub const fn end(&mut self) {
        self.open = None;
    }

    /// A seat says something about an offer after so many plies.
    ///
    /// # Errors
    /// The reason why it cannot say that now; nothing changes then.
    pub fn take(&mut self, ply: u32, seat: Seat, act: OfferStep) -> Result<(), NoOffer> {
        let is_own = self.open == Some(seat);
        match (act, self.open) {
            (OfferStep::Offer, Some(_)) => return Err(NoOffer::Open),
            (OfferStep::Offer, None) if ply < self.next[seat] => {
                return Err(NoOffer::TooSoon(self.plies_between));
            }
            (OfferStep::Offer, None) => {
                self.open = Some(seat);
                self.next[seat] = ply.saturating_add(self.plies_between);
                return Ok(());
            }
            (OfferStep::Accept | OfferStep::Decline, Some(_)) if !is_own => {}
            (OfferStep::Accept | OfferStep::Decline, _) => return Err(NoOffer::NotOffered),
            (OfferStep::Withdraw, _) if is_own => {}
            (OfferStep::Withdraw, _) => return Err(NoOffer::NotOwn),
        }
        self.open = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

    #[test]
    fn one_offer_is_open_and_the_other_player_alone_answers_it() {
        use OfferStep::{Accept, Decline, Offer, Withdraw};
        let [first, second] = SEATS;
        for (by, act, result) in [
            (second, Accept, Ok(())),
            (second, Decline, Ok(())),
            (first, Withdraw, Ok(())),
            (first, Accept, Err(NoOffer::NotOffered)),
            (first, Decline, Err(NoOffer::NotOffered)),
            (second, Withdraw, Err(NoOffer::NotOwn)),
            (first, Offer, Err(NoOffer::Open)),
            (second, Offer, Err(NoOffer::Open)),
        ] {
            let mut offers = Offers::new(0);
            offers.take(3, first, Offer).unwrap();
            assert_eq!(offers.take(3, by, act), result, "{act:?} by {by}");
            let is_open = offers.take(3, first, Withdraw).is_ok();
            assert_eq!(is_open, result.is_err());
        }
        let mut offers = Offers::new(0);
        offers.take(3, first, Offer).unwrap();
        offers.end();
        assert_eq!(offers.take(4, second, Accept), Err(NoOffer::NotOffered));
    }

    #[test]
    fn a_player_waits_before_it_offers_again() {
        let mut offers = Offers::new(10);
        for (ply, seat, result) in [
            (4, SEATS[0], Ok(())),
            (5, SEATS[1], Ok(())),
            (13, SEATS[0], Err(NoOffer::TooSoon(10))),
            (14, SEATS[0], Ok(())),
        ] {
            assert_eq!(offers.take(ply, seat, OfferStep::Offer), result, "{ply}");
            offers.end();
        }
    }
}
