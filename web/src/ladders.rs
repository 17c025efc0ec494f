//! Ladders whose folders lie where the records are: their states, and their entrants with badges.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::Path;

use axum::Json;
use axum::http::StatusCode;
use games::{GameName, is_printable};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::leagues::{LADDER, League};
use crate::messages::{ErrorAnswer, LeagueInfo};

/// The answer in the place of a file that cannot be read.
type Unread = (StatusCode, Json<ErrorAnswer>);

/// The state of a ladder, or one of its entrants, as addresses name them.
#[derive(Deserialize)]
pub(crate) struct LadderPath {
    ladder: String,
    /// The number of the entrant.
    n: Option<usize>,
}

impl LadderPath {
    /// What a reader takes of the file.
    ///
    /// # Errors
    /// The status of the answer and a sentence: there is no such ladder or entrant, or the file is not whole.
    pub(crate) fn read<T: DeserializeOwned>(&self, records: &Path) -> Result<T, Unread> {
        let unread = |status, error: String| (status, Json(ErrorAnswer { code: None, error }));
        let absent = |reason: &str| unread(StatusCode::NOT_FOUND, reason.to_owned());
        let ladder = League::named(records, &self.ladder, LADDER);
        let ladder = ladder.ok_or_else(|| absent("there is no such ladder"))?;
        let entrant = self.n.map(|number| format!("entrants/{number}.json"));
        let text = std::fs::read(ladder.folder.join(entrant.as_deref().unwrap_or(LADDER)));
        let text = text.map_err(|_| absent("the ladder has rated no such entrant"))?;
        serde_json::from_slice(&text).map_err(|e| {
            let reason = format!("the ladder's file is not whole, try again in some seconds: {e}");
            unread(StatusCode::SERVICE_UNAVAILABLE, reason)
        })
    }

    /// Where a guest asks for the entrant: the game, the port, and the token to show there.
    ///
    /// # Errors
    /// A sentence on why that is nowhere.
    pub(crate) fn port(&self, records: &Path) -> Result<(GameName, SocketAddr, String), String> {
        let reason = |(_, Json(answer)): Unread| answer.error;
        let name = self.read::<Badge>(records).map_err(reason)?.name;
        let (ladder, n) = (self.ladder.clone(), None);
        let ladder = LadderPath { ladder, n }.read::<GuestPorts>(records);
        let ladder = ladder.map_err(reason)?;
        // At a port of its own a client of Geister is its entrant.
        if !ladder.guests || ladder.game == GameName::Geister {
            return Err("guests of this ladder cannot ask for an opponent".to_owned());
        }
        // A program of the house has no address, but all have one port.
        let any = ladder.connects_to.values().next();
        let port = ladder.connects_to.get(&name).or(any);
        let port = port.ok_or("no entrant is registered: the port of the ladder is not known")?;
        let token = format!("@{}", self.n.unwrap_or_default());
        Ok((ladder.game, *port, token))
    }
}

/// Where a ladder has guests.
#[derive(Deserialize)]
struct GuestPorts {
    game: GameName,
    guests: bool,
    connects_to: BTreeMap<String, SocketAddr>,
}

/// The ladders of a folder of records: name, title, and when their states were written.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn list(records: &Path) -> io::Result<Vec<LeagueInfo>> {
    let known = |one: League| {
        let (ladder, n) = (one.name.clone(), None);
        let path = LadderPath { ladder, n };
        let state = path.read(records).ok().unwrap_or_default();
        one.info(&state, ["/title", "/at"])
    };
    Ok(League::all(records, LADDER)?
        .into_iter()
        .map(known)
        .collect())
}

/// What the badge of an entrant shows.
#[derive(Deserialize)]
pub(crate) struct Badge {
    name: String,
    rank: Option<u32>,
    rating: f64,
    half_width: Option<f64>,
}

impl Badge {
    /// The badge in SVG: the name, the rating with its interval if that tells something, and the rank.
    pub(crate) fn svg(&self) -> String {
        let width = self.half_width.filter(|width| *width <= 400.0);
        let width = width.map_or_else(String::new, |width| format!(" ±{width:.0}"));
        let rank = self
            .rank
            .map_or_else(String::new, |rank| format!("  #{rank}"));
        let rating = self.rating.round() + 0.0;
        let mut text = format!("{}  {rating}{width}{rank}", self.name);
        text.retain(|c| is_printable(c) && c < '\u{fffe}');
        // A browser fits the letters into this width, whatever its fonts.
        let letters = text.chars().map(|c| if c.is_ascii() { 7 } else { 12 });
        let width: u32 = letters.sum();
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{}" height="20"><title>{text}</title>
<rect width="100%" height="20" rx="3" fill="#1f4e79"/><text x="6" y="14" textLength="{width}" fill="#fff"
 font-family="Verdana,sans-serif" font-size="11" xml:space="preserve">{text}</text></svg>"##,
            width + 12
        )
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;
    use crate::leagues::is_of_league;
    use crate::listener::tests::{ask, serve_page};
    use crate::records;

    const RECORD: &str = r#"{"taikyoku-record":1,"game":"dobutsu","match":"m","tongue":"native","players":[{"name":"a"},{"name":"b"}],"games":1,"rules":{},"started":"","server":""}"#;

    /// A folder with a ladder that has an entrant, a day with a record, and tokens.
    fn ladder(folder: &Path) {
        let own = folder.join("club.ladder");
        fs::create_dir_all(own.join("2026-11-30/records")).unwrap();
        fs::create_dir(own.join("entrants")).unwrap();
        let files = [
            (
                "status.json",
                r#"{"title":"Club","at":"2026-11-30T10:00:00Z","games":4}"#,
            ),
            (
                "entrants/5.json",
                r#"{"name":"hana","rating":12.6,"half_width":null,"rank":3}"#,
            ),
            ("entrants/6.json", r#"{"name":"ha"#),
            // A first line that is read as a record, as far as one can be.
            (
                "entrants.jsonl",
                &format!("{RECORD}\n{{\"token\":\"5ec7e7\"}}\n"),
            ),
            ("2026-11-30/journal.jsonl", "{}\n"),
            ("2026-11-30/records/12.0.1.jsonl", RECORD),
        ];
        for (name, text) in files {
            fs::write(own.join(name), text).unwrap();
        }
    }

    #[test]
    fn a_ladder_is_found_as_the_folder_of_records_and_in_it() {
        let folder = tempfile::tempdir().unwrap();
        ladder(folder.path());
        let own = folder.path().join("club.ladder");
        fs::write(folder.path().join("a.jsonl"), RECORD).unwrap();
        for records in [folder.path(), &own] {
            let known = LeagueInfo {
                name: "club.ladder".to_owned(),
                title: "Club".to_owned(),
                when: Some("2026-11-30T10:00:00Z".to_owned()),
            };
            assert_eq!(list(records).unwrap(), [known]);
            assert!(records::file(records, "club.ladder:2026-11-30:12.0.1").is_some());
            for id in [
                "club.ladder:2026-11-30:12.0.2",
                "club.ladder:2026-12-01:12.0.1",
                "club.ladder:..:12.0.1",
                "..:club.ladder:a",
                "club.ladder:2026-11-30:..%2Fjournal",
                ":2026-11-30:12.0.1",
            ] {
                assert_eq!(records::file(records, id), None, "{id}");
            }
        }
        assert!(records::file(&own, "2026-11-30:12.0.1").is_some());
        assert!(is_of_league(&own) && !is_of_league(folder.path()));
        // A state that is written now hides no ladder.
        fs::write(own.join("status.json"), "{").unwrap();
        assert_eq!(list(folder.path()).unwrap()[0].title, "club.ladder");
    }

    #[test]
    fn the_tokens_of_entrants_are_no_record() {
        let folder = tempfile::tempdir().unwrap();
        ladder(folder.path());
        let own = folder.path().join("club.ladder");
        for id in ["entrants", "entrants.jsonl", "%65ntrants"] {
            assert_eq!(records::file(&own, id), None, "{id}");
        }
        assert!(records::list(&own, &[]).unwrap().is_empty());
    }

    #[test]
    fn a_file_is_read_whole_or_the_reason_is_told() {
        let folder = tempfile::tempdir().unwrap();
        ladder(folder.path());
        let read = |ladder: &str, n| {
            let ladder = ladder.to_owned();
            let path = LadderPath { ladder, n };
            let read = path.read::<Value>(folder.path());
            read.map_err(|(status, Json(answer))| (status.as_u16(), answer.error))
        };
        assert_eq!(read("club.ladder", None).unwrap()["games"], json!(4));
        assert_eq!(read("club.ladder", Some(5)).unwrap()["name"], json!("hana"));
        for (ladder, number, status, reason) in [
            ("club.ladder", Some(7), 404, "no such entrant"),
            ("club.ladder", Some(6), 503, "not whole"),
            ("other", None, 404, "no such ladder"),
            ("club.ladder/2026-11-30", None, 404, "no such ladder"),
            ("../club.ladder", None, 404, "no such ladder"),
            ("..", None, 404, "no such ladder"),
            ("", Some(5), 404, "no such ladder"),
        ] {
            let (found, told) = read(ladder, number).unwrap_err();
            assert!(found == status && told.contains(reason), "{ladder}: {told}");
        }
    }

    #[test]
    fn a_guest_comes_to_the_port_of_the_ladder_alone() {
        let folder = tempfile::tempdir().unwrap();
        ladder(folder.path());
        let own = folder.path().join("club.ladder");
        let port = |n, state: Value| {
            fs::write(own.join("status.json"), state.to_string()).unwrap();
            let ladder = "club.ladder".to_owned();
            let path = LadderPath { ladder, n: Some(n) };
            path.port(folder.path())
        };
        let state = |game: &str, guests: bool, ports: Value| json!({ "game": game, "guests": guests, "connects_to": ports });
        let [first, second]: [SocketAddr; 2] =
            ["127.0.0.1:4444", "127.0.0.1:4445"].map(|at| at.parse().unwrap());
        let both = json!({ "ana": first, "hana": second });
        let found = port(5, state("blokus", true, both.clone()));
        let token = "@5".to_owned();
        assert_eq!(found, Ok((GameName::Blokus, second, token.clone())));
        // The house has no address of its own.
        let found = port(5, state("daihinmin", true, json!({ "ana": first })));
        assert_eq!(found, Ok((GameName::Daihinmin, first, token)));
        for (n, state, reason) in [
            (5, state("geister", true, both.clone()), "cannot ask"),
            (5, state("blokus", false, both.clone()), "cannot ask"),
            (
                5,
                state("blokus", true, json!({})),
                "no entrant is registered",
            ),
            (7, state("blokus", true, both), "no such entrant"),
            (5, json!({}), "not whole"),
        ] {
            let told = port(n, state).unwrap_err();
            assert!(told.contains(reason), "{told}");
        }
    }

    #[test]
    fn a_badge_has_what_is_known_and_no_markup_of_a_name() {
        let svg = |value| serde_json::from_value::<Badge>(value).unwrap().svg();
        let all = json!({ "name": "花 & <b>\u{1}\u{202e}", "rank": 3, "rating": -0.4, "half_width": 55.6 });
        let text = "花 &amp; &lt;b>  0 ±56  #3";
        let shown = svg(all);
        assert_eq!(shown.matches(text).count(), 2, "{shown}");
        for half_width in [json!(null), json!(401)] {
            let new =
                json!({ "name": "a", "rank": null, "rating": 12.0, "half_width": half_width });
            assert!(svg(new).contains(">a  12</text>"));
        }
    }

    #[tokio::test]
    async fn a_ladder_and_its_entrants_are_sent_and_no_token_of_them() {
        let (address, gateway) = serve_page(Duration::from_secs(5)).await;
        let own = gateway.records().join("club.ladder");
        fs::create_dir_all(own.join("entrants")).expect("a folder");
        for (name, text) in [
            ("status.json", r#"{"title":"Club","rows":[]}"#),
            ("entrants.jsonl", "{\"token\":\"5ec7e7\"}\n"),
            ("entrants/0.json", r#"{"name":"hana","rating":1.0}"#),
            ("entrants/1.json", "{"),
        ] {
            fs::write(own.join(name), text).expect("written");
        }
        for (path, status, part) in [
            (
                "s",
                200,
                r#"[{"name":"club.ladder","title":"Club","when":null}]"#,
            ),
            ("s/club.ladder", 200, r#""title":"Club""#),
            ("s/club.ladder/entrants/0", 200, r#""name":"hana""#),
            ("s/club.ladder/entrants/0/badge.svg", 200, "hana  1<"),
            ("s/club.ladder/entrants/1", 503, "not whole"),
            ("s/club.ladder/entrants/1/badge.svg", 503, "not whole"),
            ("s/club.ladder/entrants/2", 404, "no such entrant"),
            ("s/club.ladder/entrants/..%2F..%2Fentrants", 400, ""),
            ("s/club.ladder%2Fentrants", 404, "no such ladder"),
            ("s/club.ladder/entrants.jsonl", 404, ""),
            ("s/..%2F..", 404, "no such ladder"),
        ] {
            let what = format!("GET /api/ladder{path}");
            let answer = ask(address, &what, "Connection: close\r\n", "").await;
            let is_right = answer.starts_with(&format!("HTTP/1.1 {status} "));
            assert!(is_right && answer.contains(part), "{path}: {answer}");
            assert!(!answer.contains("5ec7e7"), "{path}: {answer}");
            let policy = if path.ends_with("0/badge.svg") {
                "cross-origin"
            } else {
                "same-origin"
            };
            let policy = format!("cross-origin-resource-policy: {policy}\r\n");
            assert!(answer.contains(&policy), "{path}: {answer}");
        }
        gateway.stop().await;
    }
}
