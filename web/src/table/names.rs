//! Names of the players of a table.

use games::GameName;
use protocol::uecda::{PROFILE_NAME_LEN, SERVER_NAME_LEN};

use super::settings::{BotSpec, SeatSpec, Settings};

/// Distinct names of the players, as long as their servers keep them; `called` has the names that persons have given
/// themselves.
pub(super) fn names(
    settings: &Settings,
    bots: &[Option<BotSpec>],
    called: &[Option<String>],
) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for ((seat, bot), called) in settings.seats.iter().zip(bots).zip(called) {
        let base = match (seat, bot) {
            _ if called.is_some() => called.as_deref().unwrap_or_default(),
            (SeatSpec::Person {} | SeatSpec::Terminal, _) => "person",
            (_, Some(bot)) => &bot.engine,
            _ => "guest",
        };
        // The second `level-1` is not `level-12`.
        let dash = if base.ends_with(|c: char| c.is_ascii_digit()) {
            "-"
        } else {
            ""
        };
        let number = |n: usize| {
            let number = if n == 1 {
                String::new()
            } else {
                format!("{dash}{n}")
            };
            let fits = |name: &str| {
                name.chars().count() + number.len() <= SERVER_NAME_LEN
                    && name.len() + number.len() <= PROFILE_NAME_LEN
            };
            let mut base = base.to_owned();
            while settings.game == GameName::Daihinmin && !fits(&base) {
                base.pop();
            }
            base.trim_end().to_owned() + &number
        };
        // One more, as a name that was cut may end with a number like that of another.
        let mut all = (1..=names.len() + 2).map(number);
        let name = all.find(|name| !names.contains(name));
        names.push(name.expect("each name before takes one at most"));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_of_one_kind_are_numbered_so_that_no_number_is_read_as_a_level() {
        let bots: Vec<_> = ["level-1", "uct", "level-1", "uct", "level-1"]
            .map(|engine| {
                Some(BotSpec {
                    engine: engine.to_owned(),
                    options: Vec::new(),
                    move_ms: None,
                })
            })
            .into();
        let settings: Settings = serde_json::from_value(serde_json::json!({
            "game": "daihinmin",
            "seats": vec![serde_json::json!({"kind": "bot"}); 5],
        }))
        .expect("settings");
        let mut called = vec![None; 5];
        let named = |called: &[Option<String>]| names(&settings, &bots, called);
        let all = named(&called);
        assert_eq!(all, ["level-1", "uct", "level-1-2", "uct2", "level-1-3"]);
        called[1] = Some("level-1".to_owned());
        assert_eq!(named(&called)[1..3], ["level-1-2", "level-1-3"]);
        // A server keeps 9 characters and 14 bytes of a name, in which all must differ.
        let given = [
            "Christopher",
            "Christopher2",
            "葛葛葛葛葛",
            "葛葛葛葛",
            "Christo 2",
        ];
        let all = named(&given.map(|name| Some(name.to_owned())));
        assert_eq!(
            all,
            [
                "Christoph",
                "Christo-2",
                "葛葛葛葛",
                "葛葛葛葛2",
                "Christo 2"
            ]
        );
        let given = ["level-1-2", "level-1", "Ana2", "Ana", "Ana"];
        let all = named(&given.map(|name| Some(name.to_owned())));
        assert_eq!(all, ["level-1-2", "level-1", "Ana2", "Ana", "Ana3"]);
    }
}
