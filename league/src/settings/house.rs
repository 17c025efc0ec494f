//! Options of a bot of this project: those that a league sets itself.

use games::GameName;

const NO: &str = "leave it out";
const RULES: &str = "change the rules of the league";

/// The options of all clients that a league sets, or that would have a bot play elsewhere: the long form, the short one, and what
/// to do instead. A client that has no such option would refuse it, too.
const DECIDED: [(&str, Option<&str>, &str); 14] = [
    ("--engine", Some("-e"), "change `engine`"),
    ("--name", Some("-n"), "change `name`"),
    ("--host", Some("-h"), NO),
    ("--port", Some("-p"), NO),
    ("--seat", None, NO),
    ("--swap-port", None, NO),
    ("--gtp", None, NO),
    ("--usi", None, NO),
    ("--games", None, NO),
    ("--matches", None, NO),
    ("--ply-limit", None, RULES),
    ("--rank-reset", None, RULES),
    ("--off", None, RULES),
    ("--keio-rules", None, RULES),
];

/// The protocol of a bot of Dobutsu shogi. One of Daihinmin says with this option which version of its protocol it speaks, and
/// the server takes each.
const PROTOCOL: (&str, Option<&str>, &str) = ("--protocol", None, NO);

/// Whether an option is among these, in its long form or the short one.
pub(crate) fn has(options: &[String], long: &str, short: Option<&str>) -> bool {
    options.iter().any(|word| {
        let rest = word.strip_prefix(long);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
            || short.is_some_and(|short| word.starts_with(short))
    })
}

/// Refuses options that the league sets.
///
/// # Errors
/// The first of them, and what to do instead.
pub(super) fn check(game: GameName, options: &[String]) -> Result<(), String> {
    let protocol = Some(PROTOCOL).filter(|_| game != GameName::Daihinmin);
    let mut all = DECIDED.into_iter().chain(protocol);
    match all.find(|(long, short, _)| has(options, long, *short)) {
        Some((long, _, remedy)) => Err(format!(
            "`options` have {long}, which the league sets: {remedy}"
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_the_league_sets_are_refused_in_each_of_their_forms() {
        let check_in = |game, words: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            check(game, &words)
        };
        let check = |words: &[&str]| check_in(GameName::Dobutsu, words);
        for (long, short, remedy) in DECIDED.into_iter().chain([PROTOCOL]) {
            let due = Err(format!(
                "`options` have {long}, which the league sets: {remedy}"
            ));
            assert_eq!(check(&["--json", long, "9"]), due);
            assert_eq!(check(&[&format!("{long}=9")]), due);
            if let Some(short) = short {
                assert_eq!(check(&[short, "9"]), due);
                assert_eq!(check(&[&format!("{short}9")]), due);
            }
        }
        let others = ["--move-ms", "9", "--nn-engine=rten", "--game-ms", "9"];
        assert_eq!(check(&others), Ok(()));
        let version = ["--protocol", "20140"];
        assert_eq!(check_in(GameName::Daihinmin, &version), Ok(()));
    }
}
