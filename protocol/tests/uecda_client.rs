//! The client's end against a scripted server, in every cut of the stream and against nonsense; bytes of any kind are
//! a matter of the fuzz target `uecda`.

use bytes::BytesMut;
use games::daihinmin::{Cards, Dealer, DealerKind, Meld, Session, SessionRules};
use proptest::prelude::*;
use taikyoku_protocol::uecda::{
    CardTable, Cell, ClientEnd, ClientError, End, Event, MessageError, Profile, Submission,
    Version, cards_table, cell, decode_table, encode_int, encode_table, meld_table,
};

use super::pieces;

/// A server that says to player 0 what a match without surprises says.
struct Script {
    version: Version,
    out: BytesMut,
    /// What player 0 must have sent, in order.
    sent: Vec<CardTable>,
}

impl Script {
    fn table(&mut self, table: &CardTable) {
        encode_table(self.version, table, &mut self.out);
    }

    fn int(&mut self, value: i32) {
        encode_int(self.version, value, &mut self.out);
    }

    /// A match of `games` games of random but legal moves.
    fn of_match(version: Version, games: u32, seed: u64) -> Script {
        let mut script = Script {
            version,
            out: BytesMut::new(),
            sent: Vec::new(),
        };
        script.int(0);
        let mut session = Session::new(
            SessionRules::default(),
            Dealer::new(DealerKind::Modern, seed),
        );
        let mut moves = Vec::new();
        for game in 1..=games {
            let mut deal = session.deal();
            let me = usize::from(deal.seat_of(0));
            let row_6 = |table: &mut CardTable, counts: [u8; 5]| {
                for seat in 0..5 {
                    let player = usize::from(deal.player_at[seat]);
                    table[cell::count(player)] = i32::from(counts[seat]);
                    table[cell::rank(player)] = i32::from(deal.ranks[player]);
                    table[cell::seat(seat)] = player as i32;
                }
            };
            let poor = deal.ranked && deal.ranks[0] >= 3;
            let shown = if poor { deal.dealt[me] } else { deal.hands[me] };
            let mut table = cards_table(shown);
            table[cell::DEAL] = 1;
            table[cell::TURN] = cell::TURN_IN_DEAL;
            table[cell::GIVE] = if deal.ranked {
                2 - i32::from(deal.ranks[0])
            } else {
                0
            };
            row_6(&mut table, deal.dealt.map(|hand| hand.len() as u8));
            script.table(&table);
            let player_at = deal.player_at;
            let mut given = [Cards::EMPTY; 5];
            for seat in 0..5_u8 {
                let owed = deal.owes[usize::from(seat)];
                let gift = deal.hands[usize::from(seat)]
                    .iter()
                    .take(owed as usize)
                    .collect();
                given[usize::from(seat)] = gift;
            }
            for seat in 0..5_u8 {
                let owed = deal.owes[usize::from(seat)];
                if owed > 0 && usize::from(seat) == me {
                    script.sent.push(cards_table(given[me]));
                }
                deal.give(seat, given[usize::from(seat)]);
            }
            let mut position = deal.start();
            let mut turn = 0;
            while !position.table.is_over() {
                let seat = position.table.turn;
                let mover = player_at[usize::from(seat)];
                let status = |table: &mut CardTable, position: &games::daihinmin::Position| {
                    table[cell::TURN] = i32::from(mover);
                    table[cell::REVOLUTION] = i32::from(position.table.revolution);
                    table[cell::LOCK] = i32::from(position.table.lock);
                    for seat in 0..5 {
                        let player = usize::from(player_at[seat]);
                        table[cell::count(player)] = position.hands[seat].len() as i32;
                        table[cell::seat(seat)] = player as i32;
                    }
                };
                let mut table = cards_table(position.hands[me]);
                status(&mut table, &position);
                table[cell::MY_TURN] = i32::from(mover == 0);
                table[cell::EMPTY_FIELD] = i32::from(position.table.field.is_pass());
                script.table(&table);
                position.legal_moves(&mut moves);
                turn += 1;
                let lowest = usize::from(position.table.field.is_pass());
                let meld = moves[lowest + (turn * 5 + game as usize) % (moves.len() - lowest)];
                if mover == 0 {
                    script.sent.push(meld_table(meld));
                    script.int(if meld.is_pass() { 8 } else { 9 });
                }
                position.lay(meld, meld.cards());
                let mut table = meld_table(position.table.field);
                status(&mut table, &position);
                script.table(&table);
                position.table.advance();
                script.int(match position.table.is_over() {
                    false => 0,
                    true if game < games => 1,
                    true => 2,
                });
            }
            session.finish(position.table.places);
        }
        script
    }

    /// Runs a client over the script, cut into pieces of the lengths given in turn; the client
    /// answers what the script expects. Gives the events.
    fn run(&self, cuts: &[usize]) -> Vec<Event> {
        let mut client = ClientEnd::new(self.version, "test");
        let mut events = Vec::new();
        let mut answers = self.sent.iter();
        for piece in pieces(&self.out, cuts) {
            client.receive(piece).unwrap();
            while let Some(event) = client.next_event().unwrap() {
                events.push(event);
                let sent = match event {
                    Event::Deal(deal) if deal.give > 0 => {
                        let gift = deal.hand.iter().take(deal.give as usize).collect();
                        client.give(gift).unwrap()
                    }
                    Event::Hand(hand) if hand.my_turn => {
                        match Submission::parse(answers.as_slice().first().unwrap()) {
                            Submission::Meld(meld) => client.submit(meld).unwrap(),
                            _ => client.submit(Meld::PASS).unwrap(),
                        }
                    }
                    _ => continue,
                };
                let expected = answers.next().unwrap();
                let mut read = decode_table(self.version, &sent).unwrap();
                if self.version == Version::V20140 {
                    read.row_mut(5).fill(0);
                }
                assert_eq!(&read, expected);
            }
        }
        assert!(client.is_over());
        assert_eq!(answers.len(), 0);
        events
    }
}

#[test]
fn a_match_is_told_event_by_event() {
    let script = Script::of_match(Version::V20070, 12, 4);
    let events = script.run(&[10_000]);
    let count = |wanted: fn(&Event) -> bool| events.iter().filter(|e| wanted(e)).count();
    assert_eq!(events[0], Event::Number(0));
    assert_eq!(count(|e| matches!(e, Event::Deal(_))), 12);
    assert_eq!(
        count(|e| matches!(e, Event::Deal(d) if d.ranks.is_none())),
        1
    );
    assert_eq!(count(|e| matches!(e, Event::End(End::Game))), 11);
    assert_eq!(events.last(), Some(&Event::End(End::Match)));
    let hands = count(|e| matches!(e, Event::Hand(_)));
    assert_eq!(count(|e| matches!(e, Event::Field(_))), hands);
    assert_eq!(count(|e| matches!(e, Event::End(_))), hands);
    assert!(count(|e| matches!(e, Event::Ack(true))) > 50);
    assert!(count(|e| matches!(e, Event::Ack(false))) > 10);
    assert!(count(|e| matches!(e, Event::Deal(d) if d.give > 0)) > 0);
}

fn with(cells: &[(Cell, i32)]) -> CardTable {
    let mut table = CardTable::default();
    for seat in 0..5 {
        table[cell::seat(seat)] = seat as i32;
    }
    for &(at, value) in cells {
        table[at] = value;
    }
    table
}

fn without_seats() -> CardTable {
    let mut table = with(&[]);
    for seat in 0..5 {
        table[cell::seat(seat)] = 0;
    }
    table
}

/// A client that has got its number and then these tables.
fn after(tables: &[CardTable]) -> (ClientEnd, Result<Option<Event>, ClientError>) {
    let mut client = ClientEnd::new(Version::V20070, "test");
    client.receive(&[0, 0, 0, 2]).unwrap();
    let mut last = client.next_event();
    for table in tables {
        let mut out = BytesMut::new();
        encode_table(Version::V20070, table, &mut out);
        client.receive(&out).unwrap();
        last = client.next_event();
    }
    (client, last)
}

#[test]
fn nonsense_is_a_typed_error_and_ends_the_connection() {
    let (mut client, last) = after(&[CardTable::default()]);
    assert_eq!(last, Err(ClientError::Message(MessageError::NotADeal(0))));
    assert_eq!(client.next_event(), Err(ClientError::Failed));
    assert!(!client.is_over());
    let deal = with(&[(cell::DEAL, 1)]);
    let early = Err(ClientError::Message(MessageError::EarlyDeal));
    assert_eq!(after(&[deal, deal]).1, early);
    let six = with(&[(cell::TURN, 6)]);
    let value = MessageError::Value {
        cell: cell::TURN,
        value: 6,
    };
    assert_eq!(after(&[deal, six]).1, Err(ClientError::Message(value)));
    let seats = with(&[(cell::DEAL, 1), (cell::seat(0), 1)]);
    let wrong = MessageError::Seats([1, 1, 2, 3, 4]);
    assert_eq!(after(&[seats]).1, Err(ClientError::Message(wrong)));
    // A server that sends no seats.
    for (seats, has_seats) in [(with(&[]), true), (without_seats(), false)] {
        let mut deal = seats;
        deal[cell::DEAL] = 1;
        let (mut client, last) = after(&[deal, seats]);
        assert!(
            matches!(last, Ok(Some(Event::Hand(hand))) if hand.status.player_at == [0, 1, 2, 3, 4])
        );
        assert_eq!(client.next_event(), Ok(None));
        let (_, dealt) = after(&[deal]);
        assert!(matches!(dealt, Ok(Some(Event::Deal(deal))) if deal.has_seats == has_seats));
    }
    let cards = with(&[(cell::DEAL, 1), ((0, 0), 1)]);
    assert!(matches!(
        after(&[cards]).1,
        Err(ClientError::Message(MessageError::Hand(_)))
    ));
    let mut client = ClientEnd::new(Version::V20070, "test");
    client.receive(&[0, 0, 0, 5]).unwrap();
    assert_eq!(client.next_event(), Err(ClientError::Number(5)));
}

#[test]
fn only_what_is_due_can_be_sent() {
    let (mut client, _) = after(&[]);
    assert_eq!(
        client.submit(Meld::PASS),
        Err(ClientError::NotDue("a move"))
    );
    let (mut client, last) = after(&[with(&[
        (cell::DEAL, 1),
        (cell::GIVE, 2),
        ((0, 1), 1),
        ((4, 1), 2),
    ])]);
    assert!(matches!(last, Ok(Some(Event::Deal(deal))) if deal.give == 2));
    assert_eq!(client.next_event(), Ok(None), "the exchange is due");
    assert_eq!(
        client.give(Cards::JOKER),
        Err(ClientError::Owed { given: 1, owed: 2 })
    );
    let sent = client.give(Cards::JOKER | Cards::SPADE_3).unwrap();
    let mut expected = CardTable::default();
    expected.set(0, 1, 1);
    expected.set(4, 1, 2);
    assert_eq!(decode_table(Version::V20070, &sent), Ok(expected));
    assert_eq!(
        client.give(Cards::JOKER),
        Err(ClientError::NotDue("an exchange"))
    );
}

#[test]
fn the_profile_is_one_table_and_2006_has_none() {
    let hello = ClientEnd::new(Version::V20140, "crow").hello().unwrap();
    let table = decode_table(Version::V20070, &hello).unwrap();
    assert_eq!(table.get(0, 0), 20140);
    assert_eq!(Profile::parse(&table).name, "crow");
    assert_eq!(ClientEnd::new(Version::V20060, "crow").hello(), None);
}

#[test]
fn a_java_deal_is_understood() {
    // Section 1.8: ranks all 2 in the first game, tribute counted in, flags set in the deal.
    let mut deal = with(&[(cell::DEAL, 1), (cell::MY_TURN, 1), (cell::EMPTY_FIELD, 1)]);
    for player in 0..5 {
        deal[cell::rank(player)] = 2;
        deal[cell::count(player)] = [13, 12, 11, 10, 9][player];
    }
    let Ok(Some(Event::Deal(deal))) = after(&[deal]).1 else {
        panic!("no deal")
    };
    assert_eq!((deal.ranks, deal.counts), (None, [13, 12, 11, 10, 9]));
}

#[test]
fn a_flood_is_cut_off() {
    let mut client = ClientEnd::new(Version::V20070, "test");
    assert!(matches!(
        client.receive(&vec![0; ClientEnd::LIMIT + 1]),
        Err(ClientError::Wire(_))
    ));
    assert_eq!(client.next_event(), Err(ClientError::Failed));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_cut_gives_the_same_events(
        cuts in prop::collection::vec(1..600_usize, 1..8),
        seed in 0..4_u64,
        version in prop::sample::select(&Version::ALL[..]),
    ) {
        let script = Script::of_match(version, 3, seed);
        let whole = script.run(&[480]);
        prop_assert_eq!(&script.run(&[1]), &whole);
        prop_assert_eq!(&script.run(&cuts), &whole);
    }
}
