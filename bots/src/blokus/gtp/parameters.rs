//! What `param` and `param_base` set.

use std::time::Duration;

use super::arguments::Arguments;
use super::session::Session;

/// Longest time for a move in milliseconds.
const MOST_MS: u64 = 1_000_000_000;
/// Most threads.
const MOST_THREADS: usize = 256;

/// `param [KEY VALUE]`: the search.
pub(super) fn param(session: &mut Session, words: &mut Arguments<'_>) -> Result<String, String> {
    let Some(key) = words.optional_word() else {
        return Ok(values(session));
    };
    let mut options = session.options();
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
        "use_book" => only(0, words, "there is no opening book")?,
        _ => return Err(unknown(key)),
    }
    words.end()?;
    session.set_options(options);
    Ok(String::new())
}

/// The values of `param`, a key and a value each line; 0 is no limit.
fn values(session: &Session) -> String {
    let options = session.options();
    let ms = options.time.map_or(0, |time| time.as_millis());
    format!(
        "fixed_simulations {}\nmove_ms {ms}\nthreads {}\nuse_book 0",
        options.playouts.unwrap_or(0),
        options.threads
    )
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
