//! The referees of all contests with what it takes to play against them without sockets: drawn matches, both ends
//! of their protocols, and clients that answer by a legal move.

use std::fmt::Debug;
use std::sync::LazyLock;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use games::daihinmin::{Cards, Chance, DealerKind, Meld};
use games::geister::{MoveList, Rules};
use games::{ByPlayer, Game, GameName, Player, Seating};
use protocol::gat::{ClientEnd as GatClient, Event as GatEvent, MoveAnswer, Names};
use protocol::native::{
    ClientEnd as NativeClient, ClientMessage, Received, ServerEnd, ServerMessage,
};
use protocol::uecda::{
    CardTable, ClientEnd, Event as UecdaEvent, FrameReader, Version, WireError, cards_table,
    int_message, meld_table, table_message,
};
use rand::{Rng, RngExt as _};
use record::{Clocks, EndKind, Event, Header, RecordReader, RecordWriter, What, replay};
use server::config::{Compat, Uecda};
use server::referee::Referee;
use server::referee::gat::{Entrant, GameSettings, GatReferee};
use server::referee::native::{MatchSettings as NativeSettings, NativeReferee};
use server::referee::uecda::{UecdaMatchSettings, UecdaMessage, UecdaReferee};

/// A referee that can be played against.
pub trait Contest: Referee<In: Debug, Out: Debug> + Sized + 'static {
    const SEATS: usize;
    /// The server's end of a connection.
    type End: Default + Send + 'static;
    /// The client's end of a connection.
    type Client: Send + 'static;

    /// A match whose settings are drawn, with limits of time, and the header of its record.
    fn draw(rng: &mut impl Rng) -> (Self, Header);

    /// Takes in bytes of a client.
    fn receive_bytes(end: &mut Self::End, bytes: &[u8], now: Duration);

    /// The next message of a client.
    fn next_message(end: &mut Self::End, now: Duration) -> Option<Self::In>;

    /// The bytes of a message to a client.
    fn bytes_of(end: &mut Self::End, message: &Self::Out) -> Vec<u8>;

    /// The client's end after its greeting.
    fn client(player: Player) -> Self::Client;

    /// Whether a client that has just sat down owes an answer.
    const ASKED_AT_ONCE: bool = false;

    /// Takes in bytes of the server; gives whether an answer is due.
    fn hear(client: &mut Self::Client, bytes: &[u8]) -> Result<bool, String>;

    /// What a client of this player answers that keeps to the rules; `None` when nothing can be asked of it.
    fn answer(&self, player: Player, pick: usize) -> Option<Vec<u8>>;

    /// How the match ended: games that count, points and ends by player.
    fn ended(&self) -> Ended;

    /// The last line of the record, where the referee does not write it.
    fn last_line(&self) -> Option<What> {
        None
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Ended {
    pub games: u32,
    pub points: Vec<f64>,
    /// How it ended for each player.
    pub kinds: Vec<EndKind>,
}

fn header(game: GameName, tongue: &str, seats: usize, games: u32) -> Header {
    let player = |i: usize| record::Player {
        name: format!("player {i}"),
        ..record::Player::default()
    };
    Header::new(game, "m", tongue, (0..seats).map(player).collect(), games)
}

/// A time from one of these ranges, in milliseconds.
fn ms(rng: &mut impl Rng, range: std::ops::Range<u64>) -> Duration {
    Duration::from_millis(rng.random_range(range))
}

/// The version that all clients of `UECda` speak here.
const VERSION: Version = Version::V20070;

#[derive(Debug, Default)]
pub struct UecdaEnd {
    reader: FrameReader,
    failed: Option<WireError>,
}

impl Contest for UecdaReferee {
    const SEATS: usize = games::daihinmin::SEATS;
    type End = UecdaEnd;
    type Client = ClientEnd;

    fn draw(rng: &mut impl Rng) -> (UecdaReferee, Header) {
        static DEFAULT: LazyLock<Uecda> = LazyLock::new(Uecda::default);
        let mut settings = DEFAULT.clone();
        settings.games = rng.random_range(1..4);
        settings.move_ms = Some(rng.random_range(50..2_000));
        settings.game_ms = rng.random_bool(0.2).then(|| rng.random_range(2_000..9_000));
        settings.rules.seat_change = rng.random_range(0..4);
        settings.rules.rank_reset = rng.random_range(0..4);
        if rng.random_bool(0.5) {
            settings.dealer = DealerKind::Official;
        }
        if rng.random_bool(0.5) {
            settings.compat = Compat::Official;
        }
        let header = header(GameName::Daihinmin, "uecda", Self::SEATS, settings.games);
        let mut header = header.with_rules(&settings.rules);
        header.clocks.move_ms = settings.move_ms;
        header.clocks.game_ms = settings.game_ms;
        let chance = Chance::Seed(settings.dealer, rng.random());
        let settings = UecdaMatchSettings::new(&settings, chance);
        (UecdaReferee::new(settings, &CardTable::default()), header)
    }

    fn receive_bytes(end: &mut UecdaEnd, bytes: &[u8], _: Duration) {
        end.failed = end.failed.or(end.reader.push(bytes).err());
    }

    fn next_message(end: &mut UecdaEnd, _: Duration) -> Option<Result<CardTable, WireError>> {
        let table = end.reader.take_table(VERSION).transpose();
        table.or_else(|| end.failed.take().map(Err))
    }

    fn bytes_of(_: &mut UecdaEnd, message: &UecdaMessage) -> Vec<u8> {
        let mut bytes = BytesMut::new();
        message.encode(VERSION, &mut bytes);
        bytes.into()
    }

    fn client(player: Player) -> ClientEnd {
        let mut client = ClientEnd::new(VERSION, "honest");
        let number = int_message(VERSION, player.number().into());
        let heard = Self::hear(&mut client, &number);
        assert_eq!(heard, Ok(false), "the number comes first");
        client
    }

    fn hear(client: &mut ClientEnd, bytes: &[u8]) -> Result<bool, String> {
        let fault = |e: protocol::uecda::ClientError| e.to_string();
        client.receive(bytes).map_err(fault)?;
        let mut due = false;
        while let Some(event) = client.next_event().map_err(fault)? {
            match event {
                UecdaEvent::Deal(deal) if deal.give > 0 => {
                    let cards: Cards = deal.hand.iter().take(deal.give as usize).collect();
                    client.give(cards).map_err(fault)?;
                    due = true;
                }
                UecdaEvent::Hand(hand) if hand.my_turn => {
                    client.submit(Meld::PASS).map_err(fault)?;
                    due = true;
                }
                _ => {}
            }
        }
        Ok(due)
    }

    fn answer(&self, player: Player, pick: usize) -> Option<Vec<u8>> {
        if self.awaited() != Some(player) {
            return None;
        }
        let table = if let Some((hand, owed)) = self.gift_due() {
            let free = hand.len() - owed + 1;
            let cards = hand.iter().skip(pick % free as usize);
            cards_table(cards.take(owed as usize).collect())
        } else {
            let mut moves = Vec::new();
            self.position().legal_moves(&mut moves);
            meld_table(moves[pick % moves.len()])
        };
        Some(table_message(VERSION, &table).into())
    }

    fn ended(&self) -> Ended {
        let result = self.result();
        Ended {
            games: result.games,
            points: result.points.map(f64::from).to_vec(),
            kinds: result.kinds.to_vec(),
        }
    }
}

impl Contest for GatReferee {
    const SEATS: usize = games::geister::SEATS;
    /// Bytes that the referee has not read.
    type End = Vec<u8>;
    type Client = GatClient;
    const ASKED_AT_ONCE: bool = true;

    fn draw(rng: &mut impl Rng) -> (GatReferee, Header) {
        let ply_limit = rng.random_range(1..80);
        let mut wait = || match rng.random_range(0..3) {
            0 => ms(rng, 1..50),
            _ => Duration::ZERO,
        };
        let wait = [wait(), wait()];
        let settings = GameSettings {
            game: 1,
            began: Duration::ZERO,
            seating: Seating::rotation(Self::SEATS, rng.random_range(0..Self::SEATS)),
            rules: Rules { ply_limit },
            clocks: ByPlayer::from_fn(2, |_| Clocks {
                move_ms: Some(rng.random_range(200..2_000)),
                game_ms: Some(rng.random_range(0..3_000)),
                increment_ms: None,
            }),
            set_up: Some(ms(rng, 200..5_000)),
            wait,
            ng_terminates: rng.random_bool(0.7),
            closes_second: rng.random_bool(0.3),
        };
        let entrants = [(); 2].map(|()| Entrant::new(Names::Optional));
        let header = header(GameName::Geister, "gat", Self::SEATS, 1);
        let header = header.with_rules(&Rules { ply_limit });
        (GatReferee::new(settings, entrants), header)
    }

    fn receive_bytes(end: &mut Vec<u8>, bytes: &[u8], _: Duration) {
        end.extend_from_slice(bytes);
    }

    fn next_message(end: &mut Vec<u8>, _: Duration) -> Option<Bytes> {
        (!end.is_empty()).then(|| std::mem::take(end).into())
    }

    fn bytes_of(_: &mut Vec<u8>, message: &Bytes) -> Vec<u8> {
        message.to_vec()
    }

    fn client(_: Player) -> GatClient {
        let mut client = GatClient::new();
        let heard = Self::hear(&mut client, b"SET?\r\n");
        assert_eq!(heard, Ok(true), "a placement is due");
        client
    }

    fn hear(client: &mut GatClient, bytes: &[u8]) -> Result<bool, String> {
        client.receive(bytes);
        let mut due = false;
        while let Some(event) = client.next_event() {
            let refused = MoveAnswer::Refused;
            let said = match event {
                GatEvent::SetRequested => client.set("ABCD".parse().expect("a placement"), None),
                GatEvent::MoveRequested(Ok(_)) => client.play("A,N".parse().expect("a move")),
                GatEvent::SetAnswer(true) | GatEvent::Ended(_, Ok(_)) => continue,
                GatEvent::MoveAnswer(answer) if answer != refused => continue,
                event => return Err(format!("{event:?}")),
            };
            said.map_err(|e| e.to_string())?;
            due = true;
        }
        Ok(due)
    }

    fn answer(&self, _: Player, pick: usize) -> Option<Vec<u8>> {
        let Some(position) = self.position() else {
            let letters = ["ABCD", "EFGH", "AEBF", "BDGH"];
            return Some(format!("SET:{}\r\n", letters[pick % letters.len()]).into());
        };
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let mv = moves.get(pick % moves.len().max(1))?;
        Some(format!("MOV:{mv}\r\n").into())
    }

    fn ended(&self) -> Ended {
        let Some(result) = self.result() else {
            return Ended {
                games: 0,
                points: vec![0.0; Self::SEATS],
                kinds: vec![EndKind::Void; Self::SEATS],
            };
        };
        let points = |player| match result.winner {
            _ if result.is_void() => 0.0,
            None => 0.5,
            Some(winner) => f64::from(u8::from(winner == player)),
        };
        Ended {
            games: u32::from(!result.is_void()),
            points: Player::all(Self::SEATS).map(points).collect(),
            kinds: result.kinds.to_vec(),
        }
    }

    fn last_line(&self) -> Option<What> {
        let ended = self.ended();
        Some(What::Result {
            games: ended.games,
            points: ended.points,
            kinds: ended.kinds,
            seed: None,
            key: None,
            reason: None,
        })
    }
}

impl<G: Game> Contest for NativeReferee<G> {
    const SEATS: usize = G::SEATS;
    type End = ServerEnd;
    type Client = NativeClient;

    fn draw(rng: &mut impl Rng) -> (NativeReferee<G>, Header) {
        let has_budget = rng.random_bool(0.5);
        let settings = NativeSettings {
            games: rng.random_range(1..4),
            swap: rng.random_bool(0.8),
            draw: rng.random_bool(0.2),
            rules: G::Rules::default(),
            clocks: ByPlayer::from_fn(Self::SEATS, |_| Clocks {
                move_ms: Some(rng.random_range(200..2_000)),
                game_ms: has_budget.then(|| rng.random_range(1..3_000)),
                increment_ms: has_budget.then(|| rng.random_range(0..50)),
            }),
            resume: ms(rng, 0..3_000),
            ready: ms(rng, 0..3_000),
            retries: rng.random_range(0..3),
            timeouts: 0,
            goes_on: false,
            draws: false,
            opening: rng.random_range(0..4),
            position: String::new(),
            seed: rng.random(),
            given: Vec::new(),
        };
        let header = header(G::NAME, "native", Self::SEATS, settings.games);
        let header = header.with_rules(&settings.rules);
        let names: Vec<String> = header.players.iter().map(|p| p.name.clone()).collect();
        (NativeReferee::new(settings, &names), header)
    }

    fn receive_bytes(end: &mut ServerEnd, bytes: &[u8], now: Duration) {
        end.receive(bytes, now);
    }

    fn next_message(end: &mut ServerEnd, now: Duration) -> Option<Self::In> {
        end.next_message(now)
    }

    fn bytes_of(end: &mut ServerEnd, message: &ServerMessage) -> Vec<u8> {
        end.send(message).into()
    }

    fn client(_: Player) -> NativeClient {
        NativeClient::new("honest", None, None)
    }

    fn hear(client: &mut NativeClient, bytes: &[u8]) -> Result<bool, String> {
        let mut last = client.last_event();
        client.receive(bytes);
        let mut due = false;
        while let Some(received) = client.next_message() {
            // A view says which is the last event in it.
            if let Received::Message(message) = &received
                && !matches!(message, ServerMessage::View { .. })
                && let Some(event) = message.event()
            {
                if event != last + 1 {
                    return Err(format!("event {event} after event {last}"));
                }
                last = event;
            }
            match received {
                Received::Message(ServerMessage::Request { .. }) => due = true,
                Received::Message(ServerMessage::Error { code, message, .. })
                    if !code.is_harmless() =>
                {
                    return Err(message);
                }
                Received::Message(_) => {}
                other => return Err(format!("{other:?}")),
            }
        }
        Ok(due)
    }

    fn answer(&self, _: Player, pick: usize) -> Option<Vec<u8>> {
        let legal = self.game()?.legal_texts();
        let mv = legal.get(pick % legal.len().max(1))?.clone();
        let message = ClientMessage::Move {
            game: None,
            ply: None,
            mv,
        };
        Some(message.to_line().into())
    }

    fn ended(&self) -> Ended {
        let counted = || self.results().iter().filter(|game| !game.is_void());
        let points = |player| counted().map(|game| game.points[player]).sum();
        Ended {
            games: counted().count() as u32,
            points: Player::all(Self::SEATS).map(points).collect(),
            kinds: Player::all(Self::SEATS)
                .map(|player| {
                    let kinds = self.results().iter().map(|game| game.kinds[player]);
                    let first = kinds.into_iter().find(|&kind| kind != EndKind::Normal);
                    first.unwrap_or(EndKind::Normal)
                })
                .collect(),
        }
    }
}

/// Checks that the record of a match ends in exactly one result, which is that of the referee and that to which its
/// moves lead.
pub fn check_record(header: &Header, events: &[Event], ended: &Ended) {
    let results = events
        .iter()
        .filter(|event| matches!(event.what, What::Result { .. }));
    assert_eq!(results.count(), 1, "one result");
    let last = events.last().map(|event| &event.what);
    let Some(What::Result { games, points, .. }) = last else {
        panic!("the result is not the last line but {last:?}");
    };
    assert_eq!((*games, points), (ended.games, &ended.points));
    let mut bytes = Vec::new();
    let mut writer = RecordWriter::new(&mut bytes, header).expect("memory");
    for event in events {
        writer.event(event).expect("memory");
    }
    drop(writer);
    let replayed = RecordReader::new(&bytes[..], "record").and_then(replay);
    let replayed = replayed.unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&bytes)));
    assert!(replayed.closed && !replayed.unfinished, "{replayed:?}");
    assert_eq!(
        (replayed.games, &*replayed.points),
        (ended.games, &ended.points[..])
    );
}
