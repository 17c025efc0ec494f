//! Many games at once, whose positions are evaluated together.

use models::Encoding;

use super::Record;
use super::batch::{Answers, Batch, Oracle, OracleError};
use super::game::SelfPlay;
use super::open_game::OpenGame;
use super::plan::SelfPlan;
use bots::search::Game;

struct Group<E: Encoding<Position: SelfPlay>> {
    tables: Vec<OpenGame<E>>,
    /// The tables whose positions are in the batch.
    asked: Vec<usize>,
    batch: Batch,
    /// Where the next batch begins to ask, so that nobody waits for ever.
    first: usize,
    is_under_way: bool,
}

/// Plays games with the numbers that `next` gives until it gives none, `batch` at once for each slot of the oracle, and
/// hands each to `done`, with the positions that were evaluated since the last. While the games of one slot wait, those
/// of another go on.
///
/// # Errors
/// Those of the oracle and of `done`; games that are under way are then lost, and may be played again under their numbers.
pub fn play_games<E, X>(
    plan: &SelfPlan,
    seed: u64,
    batch: usize,
    oracle: &mut dyn Oracle,
    next: &mut dyn FnMut() -> Option<u64>,
    done: &mut dyn FnMut(Record, u64) -> Result<(), X>,
) -> Result<(), X>
where
    E: Encoding<Position: SelfPlay + Game<Move = E::Move>>,
    X: From<OracleError>,
{
    let group = |_| Group {
        tables: Vec::new(),
        asked: Vec::new(),
        batch: Batch::new(&E::LAYOUT, batch),
        first: 0,
        is_under_way: false,
    };
    let mut groups: Vec<Group<E>> = (0..oracle.slots()).map(group).collect();
    // Dealt in turn, so that few games are not all in one slot while the other has nothing to do.
    for number in 0..batch * groups.len() {
        let Some(id) = next() else { break };
        let slot = number % groups.len();
        groups[slot].tables.push(OpenGame::new(*plan, seed, id));
    }
    let mut answers = Answers::default();
    let mut evaluations = 0;
    loop {
        for (slot, group) in groups.iter_mut().enumerate() {
            if group.is_under_way {
                continue;
            }
            group.fill(&mut |table| -> Result<_, X> {
                done(table.record(), std::mem::take(&mut evaluations))?;
                Ok(next().map(|id| OpenGame::new(*plan, seed, id)))
            })?;
            if !group.batch.is_empty() {
                oracle.submit(slot, &group.batch)?;
                evaluations += group.batch.len() as u64;
                group.is_under_way = true;
            }
        }
        if groups.iter().all(|group| !group.is_under_way) {
            return Ok(());
        }
        let slot = oracle.receive(&mut answers)?;
        if let Some(group) = groups.get_mut(slot).filter(|group| group.is_under_way) {
            group.supply(&answers);
        }
    }
}

/// Takes a game that is over and gives the one that begins in its place, if any.
type Over<'a, E, X> = dyn FnMut(&mut OpenGame<E>) -> Result<Option<OpenGame<E>>, X> + 'a;

impl<E> Group<E>
where
    E: Encoding<Position: SelfPlay + Game<Move = E::Move>>,
{
    /// Lets all games play on until they wait, and asks for as many positions as there is room for. What has ended gives
    /// way to what `over` gives.
    fn fill<X>(&mut self, over: &mut Over<'_, E, X>) -> Result<(), X> {
        self.batch.clear();
        self.asked.clear();
        let mut number = 0;
        while number < self.tables.len() {
            let table = &mut self.tables[number];
            if !table.advance() {
                number += 1;
                continue;
            }
            match over(table)? {
                Some(new) => *table = new,
                None => drop(self.tables.swap_remove(number)),
            }
        }
        let count = self.tables.len();
        for number in (0..count).map(|n| (self.first + n) % count) {
            let Some((position, moves)) = self.tables[number].leaf() else {
                continue;
            };
            if !self.batch.add::<E>(position, moves) {
                self.first = number;
                break;
            }
            self.asked.push(number);
        }
        Ok(())
    }

    fn supply(&mut self, answers: &Answers) {
        self.is_under_way = false;
        let seats = E::LAYOUT.seats;
        for (place, &number) in self.asked.iter().enumerate() {
            let logits = &answers.logits[self.batch.moves_of(place)];
            let values = &answers.values[place * seats..][..seats];
            self.tables[number].supply(logits, values);
        }
    }
}
