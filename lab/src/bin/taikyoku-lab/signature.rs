//! The signatures of searches.

use bots::signature::all;
use clap::Args;
use games::GameName;
use serde_json::json;

#[derive(Args)]
pub(crate) struct SignatureOptions {
    /// Only those of this game.
    game: Option<GameName>,
    /// Print one line of JSON for each (schema: docs/schema/lab-signature.json).
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &SignatureOptions) {
    for signature in all().filter(|s| options.game.is_none_or(|game| game == s.game)) {
        let value = (signature.of)();
        if options.json {
            let line = json!({
                "game": signature.game, "search": signature.search, "signature": value,
            });
            println!("{line}");
        } else {
            println!(
                "{:<10} {:<28} {value}",
                signature.game.as_str(),
                signature.search
            );
        }
    }
}
