//! A stand-in for the official server of UECda, as far as players need it that play single cards: anything else is
//! refused. There is no revolution then, and nobody changes seats.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::wire::{Table, Wire};
use crate::patience::PATIENCE;

const SEATS: usize = 5;

/// Row and column of a card in a table of the server.
type Card = (usize, usize);

const JOKER: Card = (4, 1);
const SPADE_3: Card = (0, 1);
const DIAMOND_3: Card = (2, 1);

const EIGHT: usize = 6;

/// Passes in a row that end a game.
const MOST_PASSES: u32 = 20;

/// The players of a game, the first that was out first.
pub type Ranking = [usize; SEATS];

/// The server, in a thread of its own.
#[derive(Debug)]
pub struct StandIn {
    /// Its port.
    pub port: u16,
    playing: JoinHandle<io::Result<Vec<Ranking>>>,
}

impl StandIn {
    /// Starts a server of one match.
    ///
    /// # Panics
    /// When there is no port.
    pub fn start(games: usize, seed: u64) -> StandIn {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let playing = thread::spawn(move || Match::seat(&listener, seed)?.play(games));
        StandIn { port, playing }
    }

    /// Waits for the end of the match; gives the rankings of its games.
    ///
    /// # Panics
    /// When a player was lost.
    pub fn end(self) -> Vec<Ranking> {
        let played = self.playing.join().expect("no panic of the server");
        played.expect("players that stay")
    }
}

struct Match {
    players: Vec<Wire<TcpStream>>,
    rng: Xoshiro256PlusPlus,
}

struct Game {
    hands: [Vec<Card>; SEATS],
    /// Places of the game before; all 0 without one.
    ranks: [i32; SEATS],
    turn: usize,
    /// The card on the field, and the table that it was played by.
    field: Option<Card>,
    shown: Table,
    is_locked: bool,
    has_passed: [bool; SEATS],
    /// The player of the card on the field, or of the one before.
    owner: usize,
    passes: u32,
    out: Vec<usize>,
}

impl Match {
    /// Takes five clients, one after the other.
    fn seat(listener: &TcpListener, seed: u64) -> io::Result<Match> {
        let mut players = Vec::new();
        for number in 0..SEATS as i32 {
            let (stream, _) = listener.accept()?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            let mut player = Wire::new(stream);
            let profile = player.table()?;
            assert_eq!(profile.0[0][0], 20070, "the version of the protocol");
            player.send_int(number)?;
            players.push(player);
        }
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Ok(Match { players, rng })
    }

    fn play(mut self, games: usize) -> io::Result<Vec<Ranking>> {
        let mut rankings: Vec<Ranking> = Vec::new();
        for number in 1..=games {
            let ranking = self.game(rankings.last(), number == games)?;
            rankings.push(ranking);
        }
        Ok(rankings)
    }

    fn game(&mut self, before: Option<&Ranking>, is_last: bool) -> io::Result<Ranking> {
        let mut cards: Vec<Card> = (0..4)
            .flat_map(|row| (1..14).map(move |column| (row, column)))
            .collect();
        cards.push(JOKER);
        cards.shuffle(&mut self.rng);
        let first = before.map_or(0, |ranking| ranking[0]);
        let mut game = Game::of(first, &cards, before);
        self.deal(&mut game, before)?;
        let has_it = |hand: &Vec<Card>| hand.contains(&DIAMOND_3);
        let leader = game.hands.iter().position(has_it);
        game.turn = leader.expect("somebody has it");
        loop {
            for (number, player) in self.players.iter_mut().enumerate() {
                player.send(&game.hand(number))?;
            }
            let mover = &mut self.players[game.turn];
            let submission = mover.table()?;
            let (ack, is_cut) = game.judge(&submission);
            mover.send_int(ack)?;
            let field = game.flags(game.shown);
            let is_over = game.is_over();
            for player in &mut self.players {
                player.send(&field)?;
                player.send_int(match (is_over, is_last) {
                    (false, _) => 0,
                    (true, false) => 1,
                    (true, true) => 2,
                })?;
            }
            if is_over {
                return Ok(game.ranking());
            }
            game.go_on(is_cut);
        }
    }

    /// Deals, and exchanges cards where a game was before.
    fn deal(&mut self, game: &mut Game, before: Option<&Ranking>) -> io::Result<()> {
        let counts = game.counts();
        let order = before.copied().unwrap_or([0, 1, 2, 3, 4]);
        // Rich, poor, and how many cards.
        let exchanges = before.map_or(Vec::new(), |ranking| {
            vec![(ranking[0], ranking[4], 2), (ranking[1], ranking[3], 1)]
        });
        let mut told: [Table; SEATS] = std::array::from_fn(|number| game.hand(number));
        let mut taken = Vec::new();
        for &(rich, poor, count) in &exchanges {
            let cards = strongest(&game.hands[poor], count);
            game.hands[rich].extend(&cards);
            told[rich] = game.hand(rich);
            told[rich].0[5][1] = count as i32;
            taken.push((poor, cards));
        }
        for player in order {
            let table = &mut told[player];
            table.0[5][0] = 1;
            table.0[5][2] = 0;
            table.0[5][3] = 6;
            table.0[6][..SEATS].copy_from_slice(&counts);
            self.players[player].send(table)?;
        }
        for (poor, cards) in taken {
            game.hands[poor].retain(|card| !cards.contains(card));
        }
        for (rich, poor, count) in exchanges {
            let submission = self.players[rich].table()?;
            let mut gift = submission.cards();
            gift.extend((submission.0[4][1] == 2).then_some(JOKER));
            let is_held = |card: &Card| game.hands[rich].contains(card);
            if gift.len() != count || !gift.iter().all(is_held) {
                gift = strongest(&game.hands[rich], count);
            }
            game.hands[rich].retain(|card| !gift.contains(card));
            game.hands[poor].extend(gift);
        }
        Ok(())
    }
}

impl Game {
    fn of(first: usize, cards: &[Card], before: Option<&Ranking>) -> Game {
        let mut hands: [Vec<Card>; SEATS] = Default::default();
        for (i, card) in cards.iter().enumerate() {
            hands[(first + i) % SEATS].push(*card);
        }
        let mut ranks = [0; SEATS];
        for (place, player) in before.into_iter().flatten().enumerate() {
            ranks[*player] = place as i32;
        }
        Game {
            hands,
            ranks,
            turn: 0,
            field: None,
            shown: Table::EMPTY,
            is_locked: false,
            has_passed: [false; SEATS],
            owner: 0,
            passes: 0,
            out: Vec::new(),
        }
    }

    fn counts(&self) -> [i32; SEATS] {
        std::array::from_fn(|number| self.hands[number].len() as i32)
    }

    /// These cards with rows 5 and 6 as they are now.
    fn flags(&self, mut table: Table) -> Table {
        table.0[5][3] = self.turn as i32;
        table.0[5][4] = i32::from(self.field.is_none());
        table.0[5][7] = i32::from(self.is_locked);
        for (number, count) in self.counts().into_iter().enumerate() {
            table.0[6][number] = count;
            table.0[6][SEATS + number] = self.ranks[number];
            table.0[6][2 * SEATS + number] = number as i32;
        }
        table
    }

    /// What a player is shown of its hand.
    fn hand(&self, number: usize) -> Table {
        let mut table = self.flags(Table::of(&self.hands[number]));
        if self.hands[number].contains(&JOKER) {
            table.0[JOKER.0][JOKER.1] = 2;
        }
        table.0[5][2] = i32::from(number == self.turn);
        table
    }

    /// Takes the table of the player to move; gives the answer, and whether the trick is over at once.
    fn judge(&mut self, submission: &Table) -> (i32, bool) {
        let card = single(submission).filter(|card| self.is_legal(*card));
        let Some(card) = card else {
            self.has_passed[self.turn] = true;
            self.passes += 1;
            let is_pass = *submission == Table::EMPTY && self.field.is_none();
            return (if is_pass { 9 } else { 8 }, false);
        };
        let is_cut = card.1 == EIGHT || self.field == Some(JOKER);
        let is_same = self.field.is_some_and(|before| before.0 == card.0);
        self.is_locked = card != JOKER && (self.is_locked || is_same);
        self.hands[self.turn].retain(|held| *held != card);
        (self.field, self.shown) = (Some(card), *submission);
        (self.owner, self.passes) = (self.turn, 0);
        if self.hands[self.turn].is_empty() {
            self.out.push(self.turn);
        }
        (9, is_cut)
    }

    fn is_legal(&self, card: Card) -> bool {
        let beats = match self.field {
            None => true,
            Some(JOKER) => card == SPADE_3,
            Some(_) if card == JOKER => true,
            Some((row, column)) => card.1 > column && (!self.is_locked || card.0 == row),
        };
        beats && self.hands[self.turn].contains(&card)
    }

    fn is_over(&self) -> bool {
        self.out.len() + 1 >= SEATS || self.passes >= MOST_PASSES
    }

    fn ranking(mut self) -> Ranking {
        let left = (0..SEATS).filter(|number| !self.hands[*number].is_empty());
        self.out.extend(left);
        self.out.try_into().expect("each player once")
    }

    fn go_on(&mut self, is_cut: bool) {
        let from = |first: usize| (0..SEATS).map(move |i| (first + i) % SEATS);
        let is_in = |number: &usize| !self.hands[*number].is_empty();
        let next = from(self.turn + 1)
            .filter(is_in)
            .find(|number| !self.has_passed[*number]);
        if let Some(next) = next.filter(|_| !is_cut) {
            self.turn = next;
            return;
        }
        let leader = from(self.owner).find(is_in);
        self.turn = leader.expect("somebody has cards");
        self.field = None;
        self.shown = Table::EMPTY;
        self.is_locked = false;
        self.has_passed = [false; SEATS];
    }
}

/// The only card of a table, if it has one.
fn single(table: &Table) -> Option<Card> {
    let cells = table.0[..5].iter().enumerate();
    let mut cells = cells.flat_map(|(row, cells)| {
        let cells = cells.iter().enumerate();
        cells.map(move |(column, value)| ((row, column), *value))
    });
    let cells: Vec<_> = cells.by_ref().filter(|(_, value)| *value != 0).collect();
    match cells[..] {
        // A lone joker in the row of hands is refused.
        [((0..4, _), 2)] => Some(JOKER),
        [(card @ (0..4, 1..14), 1)] => Some(card),
        _ => None,
    }
}

/// The strongest cards of a hand: the joker, then from the twos downward.
fn strongest(hand: &[Card], count: usize) -> Vec<Card> {
    let mut cards = hand.to_vec();
    cards.sort_by_key(|&(row, column)| match (row, column) {
        JOKER => (0, 0, 0),
        _ => (1, 14 - column, row),
    });
    cards.truncate(count);
    cards
}
