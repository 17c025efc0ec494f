//! The client's end of a connection, without input or output: bytes in, events out.

use bytes::Bytes;
use games::daihinmin::{Cards, Meld};

use super::card_table::CardTable;
use super::message::{Deal, Field, Hand, MessageError};
use super::profile::{Profile, Version};
use super::submission::{cards_table, meld_table};
use super::wire::{FrameReader, WireError, table_message};

/// What the server said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// This client is player 0..5.
    Number(u8),
    /// A game begins. When `give` is not 0, [`ClientEnd::give`] is due before anything else.
    Deal(Deal),
    /// A turn begins. When `my_turn`, [`ClientEnd::submit`] is due before anything else.
    Hand(Hand),
    /// The server's answer to the submission: `true` accepted, `false` refused and turned into a
    /// pass. The official server also answers `false` to a pass on a field with cards, the Java
    /// server never.
    Ack(bool),
    /// The mover's move has been made.
    Field(Field),
    /// The turn is over.
    End(End),
}

/// How a turn ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// 0: the game goes on.
    Turn,
    /// 1: the game is over and another follows.
    Game,
    /// 2: the match is over.
    Match,
}

/// Why a client cannot go on. Nothing in the stream marks the beginning of a message, so after an
/// error the connection is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each error says what it is")]
pub enum ClientError {
    #[error(transparent)]
    Wire(#[from] WireError),
    #[error(transparent)]
    Message(#[from] MessageError),
    #[error("player number {0}, where 0 to 4 was due: perhaps this is no UECda server")]
    Number(i32),
    /// The answer to a submission is neither 8 nor 9.
    #[error("answer {0} to a move, where 8 or 9 was due")]
    Ack(i32),
    /// The end of a turn is not 0, 1 or 2.
    #[error("end of turn {0}, where 0, 1 or 2 was due")]
    End(i32),
    #[error("{0} bytes after the end of the match")]
    AfterMatch(usize),
    #[error("{0} is not due now")]
    NotDue(&'static str),
    /// The caller gives another number of cards than it owes.
    #[error("{given} cards given, {owed} owed")]
    Owed { given: u32, owed: u32 },
    #[error("the connection failed earlier")]
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatchPhase {
    Number,
    Deal,
    GiftDue(u32),
    Hand,
    MoveDue,
    Ack,
    Field,
    End,
    Over,
    Failed,
}

/// The client's side of one match.
///
/// Send [`ClientEnd::hello`], then feed every byte that comes to [`ClientEnd::receive`] and take
/// events with [`ClientEnd::next_event`] until it gives `None`. Each message to send comes as one
/// buffer and must be written with one call: the official server does not put fragments together
/// again.
///
/// ```
/// use taikyoku_protocol::uecda::{ClientEnd, Event, Version};
///
/// let mut client = ClientEnd::new(Version::V20070, "crow");
/// assert_eq!(client.hello().map(|profile| profile.len()), Some(480));
/// client.receive(&[0, 0])?;
/// assert_eq!(client.next_event()?, None);
/// client.receive(&[0, 3])?;
/// assert_eq!(client.next_event()?, Some(Event::Number(3)));
/// # Ok::<(), taikyoku_protocol::uecda::ClientError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClientEnd {
    version: Version,
    profile: Profile,
    reader: FrameReader,
    phase: MatchPhase,
}

impl ClientEnd {
    /// Bytes that may wait for [`ClientEnd::next_event`]; read from the socket in pieces well
    /// below it.
    pub const LIMIT: usize = 1 << 16;

    /// A client before it has sent anything. The official server keeps nine characters of `name`.
    pub fn new(version: Version, name: &str) -> ClientEnd {
        ClientEnd {
            version,
            profile: Profile::new(version, name),
            reader: FrameReader::new(ClientEnd::LIMIT),
            phase: MatchPhase::Number,
        }
    }

    /// The profile message; `None` in version 20060, which sends none.
    pub fn hello(&self) -> Option<Bytes> {
        (self.version != Version::V20060)
            .then(|| table_message(Version::V20070, &self.profile.to_table()))
    }

    /// Takes in bytes from the server, in any cuts.
    ///
    /// # Errors
    /// [`WireError::Overflow`] when more than [`ClientEnd::LIMIT`] bytes would wait.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<(), ClientError> {
        let pushed = self.reader.push(bytes);
        self.or_fail(pushed.map_err(ClientError::from))
    }

    /// The next event; `None` when more bytes are needed, a message from this client is due, or
    /// the match is over.
    ///
    /// # Errors
    /// When the server broke the order of messages or sent nonsense.
    pub fn next_event(&mut self) -> Result<Option<Event>, ClientError> {
        let read = self.read();
        self.or_fail(read)
    }

    /// Whether the match is over: the server will close the connection (the Java server does not).
    pub fn is_over(&self) -> bool {
        self.phase == MatchPhase::Over
    }

    /// The message that gives cards away in the exchange.
    ///
    /// # Errors
    /// When no exchange is due, or for another number of cards than is owed. Nothing changes.
    pub fn give(&mut self, cards: Cards) -> Result<Bytes, ClientError> {
        let MatchPhase::GiftDue(owed) = self.phase else {
            return Err(ClientError::NotDue("an exchange"));
        };
        let given = cards.len();
        if given != owed {
            return Err(ClientError::Owed { given, owed });
        }
        self.phase = MatchPhase::Hand;
        Ok(table_message(self.version, &cards_table(cards)))
    }

    /// The message that makes a move.
    ///
    /// # Errors
    /// When it is not this client's turn. Nothing changes.
    pub fn submit(&mut self, meld: Meld) -> Result<Bytes, ClientError> {
        if self.phase != MatchPhase::MoveDue {
            return Err(ClientError::NotDue("a move"));
        }
        self.phase = MatchPhase::Ack;
        Ok(table_message(self.version, &meld_table(meld)))
    }

    fn or_fail<T>(&mut self, result: Result<T, ClientError>) -> Result<T, ClientError> {
        if result.is_err() {
            self.phase = MatchPhase::Failed;
        }
        result
    }

    fn read(&mut self) -> Result<Option<Event>, ClientError> {
        let (event, phase) = match self.phase {
            MatchPhase::Number | MatchPhase::Ack | MatchPhase::End => {
                let Some(value) = self.reader.take_int(self.version) else {
                    return Ok(None);
                };
                self.int(value)?
            }
            MatchPhase::Deal | MatchPhase::Hand | MatchPhase::Field => {
                let Some(table) = self.reader.take_table(self.version)? else {
                    return Ok(None);
                };
                self.table(&table)?
            }
            MatchPhase::GiftDue(_) | MatchPhase::MoveDue => return Ok(None),
            MatchPhase::Over if self.reader.waiting() == 0 => return Ok(None),
            MatchPhase::Over => return Err(ClientError::AfterMatch(self.reader.waiting())),
            MatchPhase::Failed => return Err(ClientError::Failed),
        };
        self.phase = phase;
        Ok(Some(event))
    }

    fn int(&self, value: i32) -> Result<(Event, MatchPhase), ClientError> {
        Ok(match (self.phase, value) {
            (MatchPhase::Number, 0..5) => (Event::Number(value as u8), MatchPhase::Deal),
            (MatchPhase::Number, _) => return Err(ClientError::Number(value)),
            (MatchPhase::Ack, 8 | 9) => (Event::Ack(value == 9), MatchPhase::Field),
            (MatchPhase::Ack, _) => return Err(ClientError::Ack(value)),
            (_, 0) => (Event::End(End::Turn), MatchPhase::Hand),
            (_, 1) => (Event::End(End::Game), MatchPhase::Deal),
            (_, 2) => (Event::End(End::Match), MatchPhase::Over),
            _ => return Err(ClientError::End(value)),
        })
    }

    fn table(&self, table: &CardTable) -> Result<(Event, MatchPhase), ClientError> {
        Ok(match self.phase {
            MatchPhase::Deal => {
                let deal = Deal::parse(table)?;
                let phase = match deal.give {
                    0 => MatchPhase::Hand,
                    owed => MatchPhase::GiftDue(owed),
                };
                (Event::Deal(deal), phase)
            }
            MatchPhase::Hand => {
                let hand = Hand::parse(table)?;
                let phase = if hand.my_turn {
                    MatchPhase::MoveDue
                } else {
                    MatchPhase::Field
                };
                (Event::Hand(hand), phase)
            }
            _ => (Event::Field(Field::parse(table)?), MatchPhase::End),
        })
    }
}
