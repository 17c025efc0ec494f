//! The client's end against nonsense. Whole matches are a matter of the simulated world, bytes of any kind in any cuts one of
//! the fuzz target `uecda`.

use bytes::BytesMut;
use games::daihinmin::{Cards, Meld};
use taikyoku_protocol::uecda::{
    CardTable, Cell, ClientEnd, ClientError, Event, MessageError, Profile, Version, cell,
    decode_table, encode_table,
};

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
