//! The client of Daihinmin.

pub(crate) mod game;
mod options;
pub(crate) mod tally;

use std::io::{self, BufRead, Write};

use log::warn;
use protocol::uecda::{PROFILE_NAME_LEN, Profile, Version};

use crate::client::link::Inputs;
use crate::client::uecda::{self, MANNERS, Settings};
use crate::client::{self, Person, Player, ServerOptions, Sitter};
use crate::daihinmin::tracker::Assumptions;

pub use crate::client::uecda::PlayError;
pub use game::{Choice, Daihinmin, Sight};
pub use options::{Options, Rule};
pub use tally::Tally;

/// What a match came to.
pub type Summary = client::Summary<Tally>;

/// Plays one match as a player that does not come from a command line.
///
/// # Errors
/// When there is no connection, or the match cannot be played to its end.
pub fn sit(
    server: &ServerOptions,
    port: u16,
    name: &str,
    assumptions: Assumptions,
    sitter: Sitter<Daihinmin>,
) -> Result<Summary, PlayError> {
    let settings = Settings {
        server,
        port,
        version: Version::V20070,
        name,
        assumptions,
        json: false,
    };
    let inputs = Inputs::new();
    let mut player = sitter(inputs.waker(), MANNERS);
    uecda::play_match(&settings, 0, &inputs, &mut *player, &mut io::sink())
}

/// Plays the matches that the options ask for. A person's lines come from `lines`, which is read on a thread of its
/// own and only then. What a person sees, or with `--json` decisions, and summaries go to `out`.
///
/// # Errors
/// An option that would have no effect; the first match that cannot be played to its end.
pub fn run(
    options: &Options,
    lines: Box<dyn BufRead + Send>,
    out: &mut dyn Write,
) -> Result<Vec<Summary>, PlayError> {
    let engine = options.engine()?;
    let seed = options.common.seed_or_clock();
    let inputs = Inputs::new();
    let name = options.player_name();
    let sent = Profile::new(options.protocol, &name).name;
    if sent != name {
        warn!(
            "the server gets the name \"{sent}\": the protocol has room for {PROFILE_NAME_LEN} bytes without control characters; choose another name with --name"
        );
    }
    let mut person = match engine {
        Some(_) => None,
        None => Some(Person::new(lines, inputs.waker(), MANNERS)),
    };
    let settings = Settings {
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
                let engine = engine.build(seed.wrapping_add(u64::from(i)))?;
                supervised = options.common.supervise(engine).with_clock(options.clock());
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
