//! Daihinmin as players at a server see it.

use std::fmt::{self, Write as _};

use crate::ClientGame;
use games::daihinmin::{
    Cards, Meld, SEATS, View, is_legal, is_valid_gift, legal_moves, legal_moves_no_waste,
};

/// Daihinmin.
pub enum Daihinmin {}

/// What a player sees.
#[derive(Clone, Copy, Debug)]
pub struct DaihinminSight {
    /// What the seat knows. While a gift is due, its table means nothing yet.
    pub view: View,
    /// Cards that the seat has to give before the game begins.
    pub owes: u32,
    /// The player in each seat.
    pub player_at: [u8; SEATS],
}

/// What a player is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DaihinminChoice {
    /// A gift in the exchange.
    Give(Cards),
    /// A move.
    Play(Meld),
}

impl fmt::Display for DaihinminChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DaihinminChoice::Give(cards) => cards.fmt(f),
            DaihinminChoice::Play(meld) => meld.fmt(f),
        }
    }
}

impl ClientGame for Daihinmin {
    type View = DaihinminSight;
    type Move = DaihinminChoice;
    type Played = (View, Meld);

    const HELP: &'static str = "  S5H5     play these cards: suits S H D C, ranks 3 4 5 6 7 8 9 T J Q K A 2; in a gift, give them
  S3S4S5   a sequence
  S3K4S5   the joker in the place of a card: K, L, M or N for a spade, heart, diamond or club, J as the fifth
           card of a group; or write it J3 wherever it can stand in one place only, as when it is played alone
  pass     pass";

    fn example(sight: &DaihinminSight) -> &'static str {
        match sight.owes {
            0 => "Cards such as S5H5, or pass",
            1 => "A card such as S3",
            _ => "Cards such as S3D4",
        }
    }

    fn due(sight: &DaihinminSight) -> &'static str {
        if sight.owes > 0 { "give" } else { "move" }
    }

    fn legal_moves(sight: &DaihinminSight) -> Vec<DaihinminChoice> {
        let hand = sight.view.hand;
        if sight.owes > 0 {
            return gifts(hand, sight.owes).map(DaihinminChoice::Give).collect();
        }
        let mut melds = Vec::new();
        legal_moves_no_waste(&sight.view.table, hand, &mut melds);
        melds.into_iter().map(DaihinminChoice::Play).collect()
    }

    fn is_legal(sight: &DaihinminSight, choice: DaihinminChoice) -> bool {
        let hand = sight.view.hand;
        match choice {
            DaihinminChoice::Give(gift) => sight.owes > 0 && is_valid_gift(hand, gift, sight.owes),
            DaihinminChoice::Play(meld) => {
                sight.owes == 0 && is_legal(&sight.view.table, hand, meld).is_ok()
            }
        }
    }

    fn draw(sight: &DaihinminSight) -> String {
        let view = &sight.view;
        let table = &view.table;
        let mut text = String::new();
        // Writing to a string does not fail.
        if sight.owes > 0 {
            let (n, cards) = (sight.owes, if sight.owes == 1 { "card" } else { "cards" });
            let to = view.exchanged.partner.map_or(String::new(), |seat| {
                format!(" to player {}", sight.player_at[usize::from(seat)])
            });
            let _ = writeln!(text, "You have to give {n} {cards}{to}. Which?");
        } else {
            for (seat, player) in (0_u8..).zip(sight.player_at) {
                let is_me = seat == view.seat;
                let who = if is_me { "you" } else { "player" };
                let mark = if seat == table.turn { '>' } else { ' ' };
                let count = view.counts[usize::from(seat)];
                let state = match () {
                    () if !table.is_alive(seat) => ", out",
                    () if table.has_passed(seat) => ", has passed",
                    () => "",
                };
                let _ = writeln!(text, "{mark} {who:>6} {player}: {count:>2} cards{state}");
            }
            let field = match table.field {
                field if field.is_pass() => "empty, you lead".to_owned(),
                field => field.to_string(),
            };
            let lock = if table.lock {
                ", locked to its suits"
            } else {
                ""
            };
            let revolution = if table.revolution {
                ", revolution: low cards beat high ones"
            } else {
                ""
            };
            let _ = writeln!(text, "Field: {field}{lock}{revolution}");
        }
        let cards: Vec<String> = view.hand.iter().map(|card| card.to_string()).collect();
        let _ = writeln!(text, "Hand: {}", cards.join(" "));
        text
    }

    fn read_move(sight: &DaihinminSight, text: &str) -> Result<DaihinminChoice, String> {
        let text = notation(text);
        let hand = sight.view.hand;
        if sight.owes > 0 {
            let gift: Cards = text.parse().map_err(|e| format!("{e}"))?;
            return if is_valid_gift(hand, gift, sight.owes) {
                Ok(DaihinminChoice::Give(gift))
            } else {
                Err(format!(
                    "{gift}: you have to give {} of your cards",
                    sight.owes
                ))
            };
        }
        let table = &sight.view.table;
        let wrong = match text.parse::<Meld>() {
            Ok(meld) => match is_legal(table, hand, meld) {
                Ok(()) => return Ok(DaihinminChoice::Play(meld)),
                Err(e) => format!("{meld}: {e}"),
            },
            Err(e) => e.to_string(),
        };
        // Cards in any order, the joker among them as in a hand.
        let Ok(cards) = text.parse::<Cards>() else {
            return Err(wrong);
        };
        let mut melds = Vec::new();
        legal_moves(table, hand, &mut melds);
        melds.retain(|meld| !meld.is_pass() && meld.cards() == cards);
        match melds.as_slice() {
            [] => Err(wrong),
            [meld] => Ok(DaihinminChoice::Play(*meld)),
            melds => {
                let melds: Vec<String> = melds.iter().map(Meld::to_string).collect();
                Err(format!("{cards} can be {}: which?", melds.join(", ")))
            }
        }
    }

    fn check_notation(text: &str) -> Result<(), String> {
        let text = notation(text);
        match (text.parse::<Meld>(), text.parse::<Cards>()) {
            (Err(e), Err(_)) => Err(e.to_string()),
            _ => Ok(()),
        }
    }
}

/// A person's text in the letters of the notation.
fn notation(text: &str) -> String {
    let text = text.trim().to_uppercase();
    if text == "PASS" || text == "P" {
        return "pass".to_owned();
    }
    text.replace('X', "x")
}

/// All gifts of one or two cards.
fn gifts(hand: Cards, owes: u32) -> impl Iterator<Item = Cards> {
    hand.iter()
        .flat_map(move |a| hand.iter().map(move |b| Cards::from(a) | Cards::from(b)))
        .filter(move |gift| gift.len() == owes)
}

#[cfg(test)]
mod tests {
    use games::daihinmin::{Position, Rules};

    use super::*;

    /// At the start of a game with this hand, which leads.
    fn sight(hand: &str, owes: u32) -> DaihinminSight {
        let hands = [hand, "S5", "S6", "S7", "S8"].map(|text| text.parse().expect("cards"));
        let view = View::at_start(&Position::new(hands, Rules::default()), 0);
        let player_at = [0, 1, 2, 3, 4];
        DaihinminSight {
            view,
            owes,
            player_at,
        }
    }

    #[test]
    fn cards_are_read_in_any_order_and_case() {
        let sight = sight("D3D4D5C5J3", 0);
        let read = |text: &str| Daihinmin::read_move(&sight, text).map(|mv| mv.to_string());
        assert_eq!(read("d5d4d3"), Ok("D3D4D5".to_owned()));
        assert_eq!(read("j3"), Ok("Kx".to_owned()));
        assert_eq!(read("p"), Ok("pass".to_owned()));
        assert_eq!(read("d3d4m5"), Ok("D3D4M5".to_owned()));
        let which = read("d5 j3").expect_err("the joker may stand for any suit");
        assert!(
            which.contains("K5D5") && which.contains("which?"),
            "{which}"
        );
        assert!(read("d3d5").expect_err("no meld").contains("no single"));
        assert!(
            read("s9")
                .expect_err("not held")
                .contains("not in the hand")
        );
    }
}
