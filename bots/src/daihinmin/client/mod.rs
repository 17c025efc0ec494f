//! The client of Daihinmin.

mod options;

use std::io::{BufRead, Write};
use std::time::Duration;

use client::uecda::{
    self, Daihinmin, DaihinminChoice, DaihinminCounts, DaihinminSight, PERSON_COMMANDS,
    UecdaSettings,
};
use client::{Inputs, Person, Player, Summary};
use games::daihinmin::{Meld, View};
use log::warn;
use protocol::uecda::{PROFILE_NAME_LEN, Profile};
use serde_json::Value;

use super::{DefaultEngine, Engine};
use crate::supervised::EngineGame;

pub use client::MatchError;
pub use options::{DaihinminOptions, Rule};

/// Plays the matches that the options ask for. A person's lines come from `lines`, which is read on a thread of its
/// own and only then. What a person sees, or with `--json` decisions, and summaries go to `out`.
///
/// # Errors
/// An option that would have no effect; the first match that cannot be played to its end.
pub fn run(
    options: &DaihinminOptions,
    lines: Box<dyn BufRead + Send>,
    out: &mut dyn Write,
) -> Result<Vec<Summary<DaihinminCounts>>, MatchError> {
    let engine = options.engine().map_err(MatchError::player)?;
    let seed = options.common.seed_or_clock();
    let inputs = Inputs::default();
    let name = options.player_name();
    let sent = Profile::new(options.protocol, &name).name;
    if sent != name {
        warn!(
            "the server gets the name \"{sent}\": the protocol has room for {PROFILE_NAME_LEN} bytes without control characters; choose another name with --name"
        );
    }
    let mut person = match engine {
        Some(_) => None,
        None => Some(Person::new(lines, inputs.waker(), PERSON_COMMANDS)),
    };
    let settings = UecdaSettings {
        server: &options.common.server,
        port: options.port,
        version: options.protocol,
        name: &name,
        assumptions: options.assumptions(),
        json: options.common.json,
    };
    let mut summaries = Vec::new();
    for i in 0..options.matches {
        let mut supervised;
        let player: &mut dyn Player<Daihinmin> = match (&mut person, &engine) {
            (Some(person), _) => person,
            (None, None) => unreachable!("a person plays without an engine"),
            (None, Some(engine)) => {
                let seed = seed.wrapping_add(u64::from(i));
                supervised = (options.common).supervise(engine, seed, options.clock())?;
                &mut supervised
            }
        };
        let summary = uecda::play_match(&settings, i, &inputs, player, out)?;
        summary.write(options.common.json, false, out);
        let has_left = summary.reason.is_some();
        summaries.push(summary);
        if has_left {
            break;
        }
    }
    Ok(summaries)
}

impl EngineGame for Daihinmin {
    type Engine = dyn Engine;

    /// The lowest cards: the first legal move is the pass.
    fn stand_in(sight: &DaihinminSight, _refused: &[DaihinminChoice]) -> Option<DaihinminChoice> {
        Some(Self::choose(&mut DefaultEngine, sight, None))
    }

    fn choose(
        engine: &mut Self::Engine,
        sight: &DaihinminSight,
        limit: Option<Duration>,
    ) -> DaihinminChoice {
        match sight.owes {
            0 => DaihinminChoice::Play(engine.choose(&sight.view, limit)),
            owes => {
                engine.seated(sight.player_at);
                DaihinminChoice::Give(engine.gift(&sight.view, owes, limit))
            }
        }
    }

    fn begin(engine: &mut Self::Engine, sight: &DaihinminSight) {
        engine.seated(sight.player_at);
        engine.game_begins(&sight.view);
    }

    fn observe(engine: &mut Self::Engine, (before, meld): &(View, Meld)) {
        engine.observe(before, *meld);
    }

    fn explain(engine: &Self::Engine) -> Option<Value> {
        engine.explain()
    }
}

#[cfg(test)]
mod tests {
    use games::daihinmin::{Cards, Position, Rules};

    use super::*;
    use crate::supervised::Supervised;
    use client::{ClientGame as _, MoveRequest, Notification};

    /// Never answers as it should.
    struct Broken(bool);

    impl Engine for Broken {
        fn choose(&mut self, _: &View, _: Option<Duration>) -> Meld {
            assert!(self.0, "on purpose");
            Meld::single(13, 0)
        }

        fn gift(&mut self, view: &View, _: u32, _: Option<Duration>) -> Cards {
            assert!(self.0, "on purpose");
            view.hand
        }

        fn observe(&mut self, _: &View, _: Meld) {
            panic!("on purpose");
        }
    }

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
    fn a_broken_engine_still_plays_legal_moves() {
        let (leads, gives) = (sight("D3S4J3", 0), sight("D3S4J3", 2));
        let asked = MoveRequest {
            limit: None,
            refused: &[],
        };
        for answers in [true, false] {
            let mut player = Supervised::<Daihinmin>::new(Box::new(Broken(answers)));
            let choice = player.choose(&leads, &asked).expect("a move").mv;
            assert!(Daihinmin::is_legal(&leads, choice));
            let DaihinminChoice::Play(meld) = choice else {
                panic!("{choice} is not a move")
            };
            assert!(!meld.is_pass());
            let gift = player.choose(&gives, &asked).expect("a gift").mv;
            assert_eq!(gift.to_string(), "S4D3");
            player.tell(Notification::Played(&(leads.view, meld)), &mut Vec::new());
            let thinking = player.thinking();
            assert_eq!((thinking.decisions, thinking.corrected), (2, 3));
        }
    }
}
