//! What `param` and `param_base` set.

use std::time::Duration;

use super::arguments::Arguments;
use super::state::State;
use crate::blokus::EngineName;
use crate::search::MOST_THREADS;
use crate::spec;

const MOST_MS: u64 = 1_000_000_000;
const ZERO: [&str; 6] = [
    "model",
    "nn_engine",
    "precision",
    "batch",
    "lazy",
    "leaf_playouts",
];

/// `param [KEY VALUE]`: the search.
pub(super) fn param(state: &mut State, words: &mut Arguments<'_>) -> Result<String, String> {
    let Some(key) = words.optional_word() else {
        return Ok(values(state));
    };
    let mut options = state.options().clone();
    if options.engine != EngineName::BlokusZero && ZERO.contains(&key) {
        return Err(format!("`{key}` is a parameter of blokus-zero"));
    }
    let mut set = |key: &str, text: &str, begins: &str| {
        let set = spec::assign(&mut options, EngineName::BlokusZero, key, text);
        set.map_err(|due| format!("{begins} {due}"))
    };
    match key {
        "fixed_simulations" => {
            options.playouts = Some(words.number::<u64>()?).filter(|n| *n > 0);
        }
        "move_ms" => {
            let ms = words.number::<u64>()?.min(MOST_MS);
            options.time = (ms > 0).then(|| Duration::from_millis(ms));
        }
        "threads" => {
            let threads = words.number::<usize>()?;
            if !(1..=MOST_THREADS).contains(&threads) {
                return Err(format!("threads are 1 to {MOST_THREADS}"));
            }
            options.threads = threads;
        }
        "model" => options.zero.network.model = Some(words.rest()?.into()),
        "nn_engine" => set("nn", words.word()?, "nn_engine is")?,
        "precision" => set("precision", words.word()?, "precision is")?,
        "batch" => set("batch", words.word()?, "batch is")?,
        "lazy" => match words.word()? {
            "auto" => options.zero.lazy = None,
            visits => set("lazy", visits, "lazy is auto or")?,
        },
        "leaf_playouts" => set("leaf", words.word()?, "leaf_playouts are")?,
        "use_book" => only(0, words, "there is no opening book")?,
        _ => return Err(unknown(key)),
    }
    words.end()?;
    state.set_options(options).map_err(|e| e.to_string())?;
    Ok(String::new())
}

/// The values of `param`, a key and a value each line; 0 is no limit.
fn values(state: &State) -> String {
    let options = state.options();
    let ms = options.time.map_or(0, |time| time.as_millis());
    let mut lines = vec![
        format!("fixed_simulations {}", options.playouts.unwrap_or(0)),
        format!("move_ms {ms}"),
        format!("threads {}", options.threads),
        "use_book 0".to_owned(),
    ];
    if options.engine == EngineName::BlokusZero {
        let zero = &options.zero;
        lines.extend(
            zero.network
                .model
                .iter()
                .map(|model| format!("model {}", model.display())),
        );
        lines.push(format!("nn_engine {}", zero.network.nn_engine));
        lines.push(format!("precision {}", zero.network.precision));
        lines.push(format!("batch {}", zero.batch));
        let lazy = zero.lazy.map_or("auto".to_owned(), |n| n.to_string());
        lines.push(format!("lazy {lazy}"));
        lines.push(format!("leaf_playouts {}", zero.leaf_playouts));
    }
    lines.join("\n")
}

/// `param_base [KEY VALUE]`: nothing that could be otherwise, for controllers that set it anyway.
pub(super) fn param_base(words: &mut Arguments<'_>) -> Result<String, String> {
    let Some(key) = words.optional_word() else {
        return Ok("accept_illegal 0\nresign 0".to_owned());
    };
    match key {
        "accept_illegal" => only(0, words, "illegal moves are never accepted")?,
        "resign" if words.number::<u8>()? > 1 => return Err("resign is 0 or 1".to_owned()),
        // Allowed to resign, it does not either.
        "resign" => {}
        _ => return Err(unknown(key)),
    }
    words.end()?;
    Ok(String::new())
}

fn only(value: u8, words: &mut Arguments<'_>, reason: &str) -> Result<(), String> {
    if words.number::<u8>()? == value {
        Ok(())
    } else {
        Err(reason.to_owned())
    }
}

fn unknown(key: &str) -> String {
    format!("unknown parameter `{}`", super::arguments::short(key))
}
