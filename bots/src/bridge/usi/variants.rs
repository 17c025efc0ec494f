//! The rules of the game for Fairy-Stockfish.
//!
//! Its own variant `dobutsu` draws by the fourth occurrence of a position. A file of variants says three.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use protocol::usi::{Identity, OptionKind};

pub(super) const NAME: &str = "dobutsu-three";

const TEXT: &str = "[dobutsu-three:dobutsu]\nnFoldRule = 3\n";

pub(super) const PATH: &str = "VariantPath";

const VARIANTS: [&str; 2] = ["USI_Variant", "UCI_Variant"];

/// The option with the variant, of an engine that knows variants and reads a file of them.
pub(super) fn option_of(identity: &Identity) -> Option<&str> {
    let has_path = identity.options.iter().any(|option| option.name == PATH);
    let is_variant = |kind: &OptionKind| match kind {
        OptionKind::Combo { vars, .. } => vars.iter().any(|var| var == "dobutsu"),
        _ => false,
    };
    let mut options = identity.options.iter();
    let option =
        options.find(|option| VARIANTS.contains(&&*option.name) && is_variant(&option.kind));
    option.filter(|_| has_path).map(|option| &*option.name)
}

/// A file of variants, which goes with this.
#[derive(Debug)]
pub(super) struct Variants(PathBuf);

impl Variants {
    /// Writes the file, with a name of this process.
    pub(super) fn write() -> io::Result<Variants> {
        let name = format!("taikyoku-variants-{}.ini", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, TEXT)?;
        Ok(Variants(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Variants {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use protocol::usi::EngineOption;

    use super::*;

    #[test]
    fn only_engines_that_know_the_variant_and_read_files_are_given_one() {
        let option = |name: &str, kind| EngineOption {
            name: name.to_owned(),
            kind,
        };
        let combo = |vars: &[&str]| OptionKind::Combo {
            default: "shogi".to_owned(),
            vars: vars.iter().map(|var| (*var).to_owned()).collect(),
        };
        let path = || {
            option(
                PATH,
                OptionKind::Text {
                    default: String::new(),
                },
            )
        };
        let of = |options| Identity {
            options,
            ..Identity::default()
        };
        let fairy = of(vec![
            path(),
            option("USI_Variant", combo(&["dobutsu", "shogi"])),
        ]);
        assert_eq!(option_of(&fairy), Some("USI_Variant"));
        assert_eq!(option_of(&of(vec![path()])), None);
        assert_eq!(
            option_of(&of(vec![option("USI_Variant", combo(&["dobutsu"]))])),
            None
        );
        let shogi = of(vec![path(), option("USI_Variant", combo(&["shogi"]))]);
        assert_eq!(option_of(&shogi), None);
    }

    #[test]
    fn the_file_goes_with_its_bridge() {
        let variants = Variants::write().unwrap();
        let path = variants.path().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(&format!("[{NAME}:dobutsu]")));
        drop(variants);
        assert!(!path.exists());
    }
}
