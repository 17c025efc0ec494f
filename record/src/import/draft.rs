//! A record that an import writes event by event.

use games::GameName;

use super::{Format, Imported, Wrong};
use crate::replay::{Recorded, Replay, replay};
use crate::{EndKind, Header, Player, RecordReader, RecordWriter, What};

/// Most games of a text. A match of the official server of `UECda` has fewer than 15,000.
const MOST_GAMES: usize = 20_000;
/// Most letters of a name that is taken from a text.
const LONGEST_NAME: usize = 100;

/// Checks that a record may have this many games.
///
/// # Errors
/// There are too many.
pub(super) fn check_count(games: usize) -> Result<(), String> {
    if games > MOST_GAMES {
        return Err(format!("there are more than {MOST_GAMES} games"));
    }
    Ok(())
}

/// A name as it goes into a record.
pub(super) fn short(name: &str) -> String {
    name.trim().chars().take(LONGEST_NAME).collect()
}

/// The header of a record of these players. A record of the same text is always the same.
pub(super) fn header<S: AsRef<str>>(game: GameName, id: &str, names: &[S], date: &str) -> Header {
    let players = names.iter().map(|name| Player {
        name: short(name.as_ref()),
        client: None,
    });
    let id = if id.is_empty() { "import" } else { id };
    let mut header = Header::new(game, &short(id), game.protocol(), players.collect(), 1);
    header.started = short(date);
    header
}

/// A record whose events are played by the rules as they come.
pub(super) struct Draft<G: Recorded> {
    header: Header,
    rules: G::Rules,
    events: Vec<What>,
    game: Option<Replay<G>>,
    games: u32,
    number: u32,
    points: Vec<f64>,
    kinds: Vec<EndKind>,
    is_unfinished: bool,
}

impl<G: Recorded> Draft<G> {
    pub(super) fn new(header: Header) -> Draft<G> {
        let rules = Replay::<G>::rules(&header).expect("the header has the rules of its game");
        Draft {
            header,
            rules,
            events: Vec::new(),
            game: None,
            games: 0,
            number: 0,
            points: vec![0.0; G::SEATS],
            kinds: vec![EndKind::Normal; G::SEATS],
            is_unfinished: false,
        }
    }

    /// The number of the next game: the one that the text tells, if it is greater than those before.
    pub(super) fn next_number(&self, told: Option<u32>) -> u32 {
        let next = self.number.saturating_add(1);
        told.filter(|&told| told > next).unwrap_or(next)
    }

    /// Begins a game. One before it that has no end does not count.
    ///
    /// # Errors
    /// It is no beginning, or there are too many games.
    pub(super) fn begin(&mut self, begin: What) -> Result<(), String> {
        check_count(self.games as usize + 1)?;
        if let Some(game) = self.game.take() {
            self.events.push(What::End {
                game: game.number,
                places: Vec::new(),
                points: vec![0.0; G::SEATS],
                game_points: Vec::new(),
                kinds: vec![EndKind::Void; G::SEATS],
                rule: None,
            });
        }
        let game = Replay::begin(&begin, &self.rules).map_err(|e| e.to_string())?;
        let game = game.expect("this is a beginning");
        self.number = game.number;
        self.game = Some(game);
        self.events.push(begin);
        Ok(())
    }

    /// The game in play.
    ///
    /// # Panics
    /// Between games.
    pub(super) fn game(&self) -> &Replay<G> {
        self.game.as_ref().expect("a game is played")
    }

    /// Takes the next event of the game in play.
    ///
    /// # Errors
    /// Why it cannot have happened; the draft is of no further use then.
    pub(super) fn take(&mut self, what: What) -> Result<(), String> {
        let game = self.game.as_mut().expect("a game is played");
        game.apply(&what).map_err(|e| e.to_string())?;
        self.events.push(what);
        Ok(())
    }

    /// The same of a small game; nothing has changed after an error.
    ///
    /// # Errors
    /// Why it cannot have happened.
    pub(super) fn attempt(&mut self, what: What) -> Result<(), String> {
        let mut next = self.game().clone();
        next.apply(&what).map_err(|e| e.to_string())?;
        self.game = Some(next);
        self.events.push(what);
        Ok(())
    }

    /// A player loses by a fault that the text tells without its cause.
    pub(super) fn forfeit(&mut self, player: u8, kind: EndKind) -> Result<(), String> {
        let reason = "as the imported text says".to_owned();
        if matches!(kind, EndKind::Illegal | EndKind::ProtocolError) {
            self.take(What::Refused {
                player,
                sent: String::new(),
                reason: reason.clone(),
            })?;
        }
        self.take(What::Forfeit {
            player,
            kind,
            reason,
        })
    }

    /// Ends the game in play if it is over. Otherwise it has no end, unless another begins behind it.
    pub(super) fn end(&mut self) {
        self.games += 1;
        let ending = self.game().ending();
        self.is_unfinished |= ending.is_none();
        let Some(end) = ending else { return };
        if let What::End { points, kinds, .. } = &end {
            for (sum, points) in self.points.iter_mut().zip(points) {
                *sum += points;
            }
            for (all, kind) in self.kinds.iter_mut().zip(kinds) {
                if *all == EndKind::Normal {
                    *all = *kind;
                }
            }
        }
        self.events.push(end);
        self.game = None;
    }

    /// The whole record.
    ///
    /// # Errors
    /// There is no game in it, or it does not play again.
    pub(super) fn close(mut self, format: Format, has_variations: bool) -> Result<Imported, Wrong> {
        if self.games == 0 {
            return Err((0, "there is no game in it".to_owned()));
        }
        let void = |what: &&What| matches!(what, What::End { places, .. } if places.is_empty());
        let counted = self.games - self.events.iter().filter(void).count() as u32;
        if self.game.is_none() {
            self.events.push(What::Result {
                games: counted,
                points: self.points,
                kinds: self.kinds,
                seed: None,
                key: None,
                reason: None,
            });
        }
        self.header.games = self.games;
        let failed = |e: std::io::Error| (0, e.to_string());
        let mut bytes = Vec::new();
        let mut writer = RecordWriter::new(&mut bytes, &self.header).map_err(failed)?;
        for what in self.events {
            writer.event(&what.at(0)).map_err(failed)?;
        }
        drop(writer);
        let played = RecordReader::new(&bytes[..], "").and_then(replay);
        played.map_err(|e| (0, e.reason))?;
        Ok(Imported {
            format,
            game: G::NAME,
            games: self.games,
            is_unfinished: self.is_unfinished,
            has_variations,
            bytes,
        })
    }
}
