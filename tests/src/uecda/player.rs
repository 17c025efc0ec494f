//! A player that speaks the protocol by hand: well, or with one fault.

use std::io::{self, ErrorKind, Read as _};
use std::net::TcpStream;
use std::sync::mpsc::Sender;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Malformed;
use super::wire::{Table, Wire};
use crate::fault::{Conduct, Fault, Phase, Script, Stop};
use crate::patience::connect;

/// How a player chooses its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The lowest single card that is higher than the field, else a pass.
    Lowest,
    Pass,
    /// Mostly as `Lowest`, now and then a malformed table; drawn from the seed.
    Wild(u64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Its number, if it got one.
    pub number: Option<i32>,
    /// Games of which it has read the end.
    pub games: u32,
    /// Whether it read the end of the match and the server closed the connection then.
    pub finished: bool,
    pub received: u64,
    pub digest: String,
    /// The error that ended it, if one did.
    pub error: Option<ErrorKind>,
}

/// A player and what it does.
#[derive(Clone, Debug)]
pub struct Player {
    pub name: String,
    pub style: Style,
    /// Whether it takes each message with one read, as many clients of the contest do, and is lost
    /// when the read gives less.
    pub is_strict: bool,
    pub script: Option<Script>,
}

impl Player {
    pub fn honest(name: &str) -> Player {
        Player {
            name: name.to_owned(),
            style: Style::Lowest,
            is_strict: false,
            script: None,
        }
    }

    pub fn with(name: &str, script: Script) -> Player {
        Player {
            script: Some(script),
            ..Player::honest(name)
        }
    }

    /// The same player with another style.
    #[must_use]
    pub fn playing(mut self, style: Style) -> Player {
        self.style = style;
        self
    }

    /// The same player, which takes each message with one read.
    #[must_use]
    pub fn strict(mut self) -> Player {
        self.is_strict = true;
        self
    }

    pub fn profile(&self) -> Table {
        let mut table = Table::EMPTY;
        table.0[0][0] = 20070;
        for (cell, byte) in table.0[1].iter_mut().zip(self.name.bytes()) {
            *cell = i32::from(byte);
        }
        table
    }

    /// Plays a match on a server of this machine, to its end or to this player's. Says in `seated`
    /// that the next player may come: it has its number, or its fault has begun.
    pub fn play(&self, port: u16, seated: Sender<()>) -> io::Result<Outcome> {
        let stream = connect(port)?;
        Ok(Seated::new(self, stream, seated).play())
    }
}

struct Seated<'a> {
    player: &'a Player,
    wire: Wire<TcpStream>,
    outcome: Outcome,
    rng: Xoshiro256PlusPlus,
    conduct: Conduct,
    field: Table,
    in_seat: Sender<()>,
}

impl Seated<'_> {
    fn new(player: &Player, stream: TcpStream, seated: Sender<()>) -> Seated<'_> {
        let seed = match player.style {
            Style::Wild(seed) => seed,
            _ => 0,
        };
        let mut wire = Wire::new(stream);
        wire.is_strict = player.is_strict;
        Seated {
            player,
            wire,
            outcome: Outcome {
                number: None,
                games: 0,
                finished: false,
                received: 0,
                digest: String::new(),
                error: None,
            },
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            conduct: Conduct::new(player.script),
            field: Table::EMPTY,
            in_seat: seated,
        }
    }

    fn play(mut self) -> Outcome {
        match self.play_match() {
            Ok(()) => {
                let mut rest = [0; 1];
                let closed = matches!(self.wire.stream.read(&mut rest), Ok(0));
                self.outcome.finished = closed;
            }
            Err(Stop::Io(error)) => self.outcome.error = Some(error.kind()),
            Err(Stop::Gone) => {}
        }
        self.outcome.received = self.wire.received;
        self.outcome.digest = self.wire.digest();
        self.outcome
    }

    fn play_match(&mut self) -> Result<(), Stop> {
        self.reach(Phase::Connected)?;
        self.send(&self.player.profile())?;
        // A server that does much else may read the next player's profile first: once the number has come, it is this
        // player's, although it is not read yet.
        self.wire.stream.peek(&mut [0])?;
        self.outcome.number = Some(self.wire.int()?);
        self.say_seated();
        self.reach(Phase::Seated)?;
        loop {
            let deal = self.wire.table()?;
            self.field = Table::EMPTY;
            self.reach(Phase::Dealt)?;
            let owed = deal.0[5][1];
            if (1..100).contains(&owed) {
                let gift = self.gift(&deal, owed as usize);
                self.send(&gift)?;
            }
            loop {
                let hand = self.wire.table()?;
                if hand.0[5][2] == 1 {
                    self.turn(&hand)?;
                }
                self.field = self.wire.table()?;
                match self.wire.int()? {
                    0 => {}
                    1 => break,
                    _ => {
                        self.outcome.games += 1;
                        return Ok(());
                    }
                }
            }
            self.outcome.games += 1;
            self.reach(Phase::Ended)?;
        }
    }

    fn turn(&mut self, hand: &Table) -> Result<(), Stop> {
        self.reach(Phase::Turn)?;
        let submission = self.choose(hand);
        self.send(&submission)?;
        self.wire.int()?;
        Ok(())
    }

    /// Says that a phase is reached; begins the fault if it is the time.
    fn reach(&mut self, phase: Phase) -> Result<(), Stop> {
        let Some(fault) = self.conduct.due(phase) else {
            return Ok(());
        };
        self.say_seated();
        fault.begin(&mut self.wire.stream)
    }

    fn say_seated(&self) {
        // Nobody may be waiting for it any more.
        let _ = self.in_seat.send(());
    }

    fn send(&mut self, table: &Table) -> Result<(), Stop> {
        self.conduct.send(&mut self.wire.stream, &table.bytes())
    }

    fn gift(&mut self, deal: &Table, owed: usize) -> Table {
        if let Some(Fault::Malformed(kind)) = self.conduct.fault {
            return kind.table(deal);
        }
        let cards = deal.cards();
        Table::of(&cards[..owed.min(cards.len())])
    }

    fn choose(&mut self, hand: &Table) -> Table {
        if let Some(Fault::Malformed(kind)) = self.conduct.fault {
            return kind.table(hand);
        }
        match self.player.style {
            Style::Pass => Table::EMPTY,
            Style::Lowest => lowest(hand, &self.field),
            Style::Wild(_) => {
                if self.rng.next_u32().is_multiple_of(8) {
                    let kinds = Malformed::ALL.len() as u32;
                    let kind = Malformed::ALL[(self.rng.next_u32() % kinds) as usize];
                    kind.table(hand)
                } else {
                    lowest(hand, &self.field)
                }
            }
        }
    }
}

/// The lowest single card that beats the field under its lock and revolution, else a pass.
pub fn lowest(hand: &Table, field: &Table) -> Table {
    let mut cards = hand.cards();
    let revolution = hand.0[5][6] == 1;
    if revolution {
        cards.sort_by_key(|&(_, column)| std::cmp::Reverse(column));
    }
    if hand.0[5][4] == 1 {
        return cards
            .first()
            .map_or_else(lone_joker, |&card| Table::of(&[card]));
    }
    let on_field = field.cards();
    if field.has_joker() || on_field.len() != 1 {
        return Table::EMPTY;
    }
    let (suit, rank) = on_field[0];
    let locked = hand.0[5][7] == 1;
    let beats = |&&(row, column): &&(usize, usize)| {
        let higher = if revolution {
            column < rank
        } else {
            column > rank
        };
        higher && (!locked || row == suit)
    };
    match cards.iter().find(beats) {
        Some(&card) => Table::of(&[card]),
        None => Table::EMPTY,
    }
}

fn lone_joker() -> Table {
    let mut table = Table::EMPTY;
    table.0[0][14] = 2;
    table
}
