//! Judges what players send: against the rules, and where asked for as the official server does.

use games::daihinmin::{Card, Cards, Meld, Position, Suit, is_legal, is_valid_gift};
use protocol::uecda::{
    CardTable, GiftChoice, MalformedGift, MalformedTable, Scan, Submission, check_values,
    named_cards,
};

use crate::config::Compat;
use record::EndKind;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// A pass. The fault is that of a table without cards but with cells that mean nothing: the
    /// official server takes it as a pass too.
    Pass(Option<Fault>),
    /// An accepted move. `spent` leaves the hand; it differs from the meld's cards only by the
    /// official server's faults.
    Play {
        meld: Meld,
        spent: Cards,
    },
    Refuse(Fault),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// [`EndKind::Illegal`] for what the rules forbid, [`EndKind::ProtocolError`] for cells that
    /// mean nothing.
    pub(super) kind: EndKind,
    pub(super) reason: String,
}

impl Fault {
    fn illegal(reason: &impl ToString) -> Fault {
        Fault {
            kind: EndKind::Illegal,
            reason: reason.to_string(),
        }
    }
}

impl From<MalformedTable> for Fault {
    fn from(malformed: MalformedTable) -> Fault {
        let kind = match malformed {
            MalformedTable::Value { .. }
            | MalformedTable::TwoJokers
            | MalformedTable::Outside(_) => EndKind::ProtocolError,
            MalformedTable::ShortSequence
            | MalformedTable::StrayFifth
            | MalformedTable::NoShape => EndKind::Illegal,
        };
        Fault {
            kind,
            reason: malformed.to_string(),
        }
    }
}

pub(super) fn judge(position: &Position, sent: &CardTable, compat: Compat) -> Verdict {
    if compat == Compat::Official && takes_joker(position, sent) {
        return Verdict::Play {
            meld: Meld::single(1, 0),
            spent: named_cards(sent) & position.hand(),
        };
    }
    match Submission::parse(sent) {
        Submission::Pass => Verdict::Pass(check_values(sent).err().map(Fault::from)),
        Submission::Malformed(reason) => Verdict::Refuse(reason.into()),
        Submission::Meld(meld) => match is_legal(&position.table, position.hand(), meld) {
            Ok(()) => Verdict::Play {
                meld,
                spent: meld.cards(),
            },
            Err(reason) => Verdict::Refuse(Fault::illegal(&reason)),
        },
    }
}

/// The official server's fault (`protocol/UECDA.md`): on the lone joker it looks for nothing but the
/// spade 3 in the hand and a table whose lowest column is that of the 3s with only row 0 marked.
fn takes_joker(position: &Position, sent: &CardTable) -> bool {
    if !position.table.field.is_lone_joker() || !position.hand().contains_all(Cards::SPADE_3) {
        return false;
    }
    let scan = Scan::of(sent);
    scan.low == 1 && scan.len == 1 && scan.suits == 1
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Gift {
    /// The cards to move; empty when the choice is void.
    pub(super) cards: Cards,
    /// A card that vanishes from the giver's hand by the official server's fault (`protocol/UECDA.md`).
    pub(super) lost: Cards,
    pub(super) fault: Option<Fault>,
}

/// Judges the exchange table of a seat that holds `hand` and owes `owed` cards.
pub(super) fn judge_gift(hand: Cards, owed: u32, sent: &CardTable, compat: Compat) -> Gift {
    let choice = GiftChoice::parse(sent);
    let refused = |fault| Gift {
        fault: Some(fault),
        ..Gift::default()
    };
    let cards = match choice.cards(owed) {
        Ok(cards) => cards,
        Err(MalformedGift::Flaw(flaw)) => return refused(flaw.into()),
        Err(reason @ MalformedGift::Number { .. }) => return refused(Fault::illegal(&reason)),
    };
    if !is_valid_gift(hand, cards, owed) {
        return refused(Fault::illegal(&"a card of the gift is not in the hand"));
    }
    let under_joker = choice
        .joker_elsewhere
        .filter(|_| compat == Compat::Official)
        .and_then(|(row, column)| Card::new(Suit::from_row(row as u8)?, column as u8));
    Gift {
        cards,
        lost: under_joker.map_or(Cards::EMPTY, Cards::from) & hand,
        fault: None,
    }
}

/// What was sent, for the record: the meld in its notation, or the marked cells.
pub(super) fn describe(sent: &CardTable) -> String {
    match Submission::parse(sent) {
        Submission::Meld(meld) => return meld.to_string(),
        Submission::Pass if sent.marked(0..5).next().is_none() => return "pass".to_owned(),
        Submission::Pass | Submission::Malformed(_) => {}
    }
    let marks = sent.marked(0..5);
    let cells: Vec<String> = marks
        .map(|((row, column), value)| format!("[{row}][{column}]={value}"))
        .collect();
    cells.join(" ")
}

#[cfg(test)]
mod tests {
    use games::daihinmin::Rules;
    use protocol::uecda::{cards_table, meld_table};

    use super::*;

    fn cards(text: &str) -> Cards {
        text.parse().unwrap()
    }

    /// Seat 0 has led the lone joker; seat 1 is to move.
    fn on_the_joker() -> Position {
        let hands = ["D3J3S9", "S3H6C6", "S8S7", "S5", "S4"].map(cards);
        let mut position = Position::new(hands, Rules::default());
        position.play(Meld::LONE_JOKER).unwrap();
        position
    }

    fn spent(sent: &CardTable, compat: Compat) -> Option<String> {
        match judge(&on_the_joker(), sent, compat) {
            Verdict::Play { meld, spent } => {
                assert!(meld.is_spade_3());
                Some(spent.to_string())
            }
            _ => None,
        }
    }

    #[test]
    fn the_spade_3_faults_are_kept_or_closed() {
        let honest = cards_table(cards("S3"));
        assert_eq!(spent(&honest, Compat::Safe).as_deref(), Some("S3"));
        assert_eq!(spent(&honest, Compat::Official).as_deref(), Some("S3"));
        // Further cards go with it, held or not.
        let more = cards_table(cards("S3H6D9"));
        assert_eq!(spent(&more, Compat::Safe), None);
        assert_eq!(spent(&more, Compat::Official).as_deref(), Some("S3H6"));
        // A joker that he does not have, or anything else, in the place of the 3.
        let mut joker = CardTable::default();
        joker.set(0, 1, 2);
        assert_eq!(spent(&joker, Compat::Safe), None);
        assert_eq!(spent(&joker, Compat::Official).as_deref(), Some(""));
        joker.set(0, 1, -7);
        joker.set(3, 4, 1);
        assert_eq!(spent(&joker, Compat::Safe), None);
        assert_eq!(spent(&joker, Compat::Official).as_deref(), Some("C6"));
        // A mark to the right makes it a sequence, one below it a pair.
        for other in ["S3S4", "S3D3"] {
            let sent = cards_table(cards(other));
            assert_eq!(spent(&sent, Compat::Official), None, "{other}");
        }
    }

    #[test]
    fn faults_are_told_apart() {
        let hands = ["D3S9", "S3H6C6", "S8S7", "S5", "S4"].map(cards);
        let position = Position::new(hands, Rules::default());
        let kind = |sent: &CardTable| match judge(&position, sent, Compat::Safe) {
            Verdict::Refuse(fault) => fault.kind,
            _ => EndKind::Normal,
        };
        assert_eq!(kind(&CardTable::default()), EndKind::Normal);
        assert_eq!(kind(&meld_table("S9".parse().unwrap())), EndKind::Normal);
        assert_eq!(kind(&meld_table("S7".parse().unwrap())), EndKind::Illegal);
        assert_eq!(kind(&cards_table(cards("D3S9"))), EndKind::Illegal);
        let mut odd = cards_table(cards("D3"));
        odd.set(2, 7, 3);
        assert_eq!(kind(&odd), EndKind::ProtocolError);
        assert_eq!(describe(&odd), "[2][1]=1 [2][7]=3");
        odd.set(2, 1, -1);
        let verdict = judge(&position, &odd, Compat::Safe);
        assert!(matches!(verdict, Verdict::Pass(Some(_))), "{verdict:?}");
    }

    #[test]
    fn gifts_are_judged_as_the_official_server_does() {
        let hand = cards("D3S4HAJ3");
        let gift = |sent: &CardTable, owed, compat| judge_gift(hand, owed, sent, compat);
        let honest = cards_table(cards("D3J3"));
        for compat in [Compat::Safe, Compat::Official] {
            assert_eq!(gift(&honest, 2, compat).cards, cards("D3J3"));
            assert!(gift(&honest, 1, compat).fault.is_some());
            assert!(gift(&cards_table(cards("D3S5")), 2, compat).fault.is_some());
        }
        // The joker sent in the cell of the diamond 3.
        let mut joker = cards_table(cards("S4"));
        joker.set(2, 1, 2);
        let safe = gift(&joker, 2, Compat::Safe);
        assert_eq!((safe.cards, safe.lost), (cards("S4J3"), Cards::EMPTY));
        let official = gift(&joker, 2, Compat::Official);
        assert_eq!(
            (official.cards, official.lost),
            (cards("S4J3"), cards("D3"))
        );
        // An odd value beside the card is overlooked for one card, not for two.
        let mut odd = cards_table(cards("HA"));
        odd.set(4, 4, 9);
        assert_eq!(gift(&odd, 1, Compat::Safe).cards, cards("HA"));
        odd.set(2, 1, 1);
        let kind = gift(&odd, 2, Compat::Safe).fault.map(|f| f.kind);
        assert_eq!(kind, Some(EndKind::ProtocolError));
    }
}
