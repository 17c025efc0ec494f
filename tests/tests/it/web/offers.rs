//! What one of two people at a table offers the other: a draw, and to take a move back.

use std::collections::BTreeMap;

use end_to_end::programs::run;
use end_to_end::web::{Gateway, Page};
use serde_json::{Value, json};

/// A table of two people, by their pages, with the tokens of their seats.
struct Two {
    gateway: Gateway,
    table: String,
    tokens: [String; 2],
    pages: [Page; 2],
}

impl Two {
    fn sit(game: &str, more: &Value) -> Two {
        let gateway = Gateway::start(&[]);
        let seats = json!([{ "kind": "person" }, { "kind": "open" }]);
        let mut made = json!({ "game": game, "seats": seats });
        for (key, value) in more.as_object().expect("an object") {
            made[key] = value.clone();
        }
        let (table, tokens) = gateway.make(&made);
        let mut guest = gateway.sit(&table, &tokens[1]);
        let given = guest.hear_of("token")["token"].clone();
        let given = given.as_str().expect("a token").to_owned();
        let tokens = [tokens[0].clone(), given];
        let pages = [0, 1].map(|at| gateway.sit(&table, &tokens[at]));
        Two {
            gateway,
            table,
            tokens,
            pages,
        }
    }

    fn say(&mut self, player: usize, message: &Value) {
        self.pages[player].say(message);
    }

    /// Both pages hear what a player says about an offer.
    fn hears(&mut self, about: &str, player: u8, act: &str) {
        for page in &mut self.pages {
            let offer = page.hear_of("offer");
            assert_eq!(
                (&offer["about"], &offer["player"], &offer["act"]),
                (&json!(about), &json!(player), &json!(act))
            );
        }
    }

    fn refused(&mut self, player: usize, message: &Value, reason: &str) {
        self.say(player, message);
        let error = self.pages[player].hear_of("error");
        let code = &error["code"];
        assert!(*code == message["type"] || *code == "stale", "{error}");
        let told = error["message"].as_str().expect("a sentence");
        assert!(told.contains(reason), "{reason}: {told}");
    }

    /// The player makes the first legal move; gives its question.
    fn play(&mut self, player: usize) -> Value {
        let ask = self.pages[player].hear_of("ask");
        self.pages[player].answer(&ask, |_| 0);
        ask
    }

    fn reload(&mut self, player: usize) {
        self.pages[player] = self.gateway.sit(&self.table, &self.tokens[player]);
    }
}

fn draw(act: &str) -> Value {
    json!({ "type": "draw", "game": 1, "act": act })
}

fn takeback(act: &str) -> Value {
    json!({ "type": "takeback", "act": act })
}

#[test]
fn two_people_agree_on_a_draw_and_its_record_says_so() {
    for game in ["dobutsu", "score-four"] {
        let mut two = Two::sit(game, &json!({}));
        two.play(0);
        two.pages[1].hear_of("ask");
        two.refused(0, &draw("accept"), "the other player offers nothing");
        two.say(0, &draw("offer"));
        two.hears("draw", 0, "offer");
        two.refused(0, &draw("accept"), "the other player offers nothing");
        two.refused(1, &draw("offer"), "an offer is open already");
        two.refused(1, &takeback("offer"), "there is no move of yours");
        two.refused(0, &takeback("offer"), "an offer is open already");
        // A page that comes back is told of it.
        two.reload(1);
        assert_eq!(two.pages[1].hear_of("offer")["player"], 0, "{game}");
        two.say(1, &draw("decline"));
        two.hears("draw", 1, "decline");
        two.refused(0, &draw("offer"), "waits for 10 plies");
        let late = json!({ "type": "draw", "game": 2, "act": "offer" });
        two.refused(1, &late, "game 1 is being played");
        two.say(1, &draw("offer"));
        two.hears("draw", 1, "offer");
        two.say(0, &draw("accept"));
        two.hears("draw", 0, "accept");
        for page in &mut two.pages {
            let result = page.hear_of("result");
            assert_eq!(
                (&result["end"], &result["by"], &result["places"]),
                (&json!("agreed"), &Value::Null, &json!([1, 1])),
                "{game}"
            );
            let over = page.hear_of("over");
            assert_eq!(over["scores"], json!([0.5, 0.5]), "{game}");
        }
        two.refused(0, &takeback("offer"), "moves are not taken back here");
        let record = two.gateway.get(&format!("/api/records/{}", two.table));
        assert_eq!(record["games"][0]["result"]["end"], "agreed", "{game}");
        let file = two.gateway.records().join(format!("{}.jsonl", two.table));
        run(&["verify", &file.to_string_lossy()]).good();
    }
}

#[test]
fn a_person_asks_the_other_one_to_take_a_move_back() {
    for game in ["dobutsu", "score-four"] {
        let mut two = Two::sit(game, &json!({}));
        assert_eq!(two.pages[0].hear_of("table")["can"]["takeback"], true);
        two.play(0);
        two.play(1);
        let ask = two.play(0);
        two.pages[1].hear_of("ask");
        two.refused(1, &takeback("accept"), "the other player offers nothing");
        two.say(0, &takeback("offer"));
        two.hears("takeback", 0, "offer");
        two.refused(0, &takeback("accept"), "the other player offers nothing");
        two.refused(0, &draw("offer"), "an offer is open already");
        two.say(0, &takeback("withdraw"));
        two.hears("takeback", 0, "withdraw");
        two.refused(1, &takeback("accept"), "the other player offers nothing");
        two.refused(0, &takeback("offer"), "waits for 2 plies");
        two.say(1, &takeback("offer"));
        two.hears("takeback", 1, "offer");
        two.say(0, &takeback("accept"));
        // The game goes on before the last move of the player that has asked.
        for page in &mut two.pages {
            let table = page.hear_of("table");
            assert_eq!(table["record"], format!("{}-2", two.table), "{game}");
            assert_eq!(page.hear_of("frame")["ply"], 0, "{game}");
            assert_eq!(page.hear_of("frame")["ply"], 1, "{game}");
        }
        let again = two.pages[1].hear_of("ask");
        assert_eq!(again["ply"], 1, "{game}");
        // A move ends a request.
        two.say(0, &takeback("offer"));
        two.hears("takeback", 0, "offer");
        two.pages[1].answer(&again, |_| 0);
        let question = two.pages[0].hear_of("ask");
        assert_eq!(question, ask, "{game}");
        two.refused(1, &takeback("accept"), "the other player offers nothing");
        two.reload(0);
        two.pages[0].hear_of("ask");
        let offers = two.pages[0].heard.iter();
        assert!(!offers.clone().any(|line| line.contains("\"offer\"")));
        two.say(0, &json!({ "type": "resign" }));
        two.pages[1].hear_of("over");
    }
}

#[test]
fn nothing_is_offered_where_it_cannot_be() {
    let clock = json!({ "budget_ms": 60_000 });
    for (game, more, draws) in [
        ("geister", json!({}), false),
        ("dobutsu", json!({ "clock": clock }), true),
        ("dobutsu", json!({ "games": 2 }), true),
    ] {
        let mut two = Two::sit(game, &more);
        let can = two.pages[0].hear_of("table")["can"].clone();
        assert_eq!(
            (&can["draw"], &can["takeback"]),
            (&json!(draws), &json!(false)),
            "{game}"
        );
        two.pages[0].hear_of("ask");
        for message in [takeback("offer"), takeback("accept")] {
            two.refused(0, &message, "moves are not taken back here");
        }
        if !draws {
            two.refused(0, &draw("offer"), "no draw in this match");
        }
    }
    // A bot declines.
    let gateway = Gateway::start(&[]);
    let seats = json!([{ "kind": "person" }, { "kind": "bot", "spec": "random" }]);
    let (table, tokens) = gateway.make(&json!({ "game": "dobutsu", "seats": seats }));
    let mut page = gateway.sit(&table, &tokens[0]);
    assert_eq!(page.hear_of("table")["can"]["draw"], false);
    page.hear_of("ask");
    page.say(&draw("offer"));
    assert_eq!(page.hear_of("error")["code"], "draw");
}

#[test]
fn an_offer_and_a_game_that_was_taken_back_outlast_the_page() {
    let mut two = Two::sit("dobutsu", &json!({ "games": 1 }));
    two.play(0);
    two.play(1);
    two.pages[0].hear_of("ask");
    two.say(1, &takeback("offer"));
    two.hears("takeback", 1, "offer");
    two.say(0, &takeback("accept"));
    // A player that is asked, or has moved, is in the game that begins anew.
    two.play(1);
    two.pages[0].hear_of("ask");
    two.say(1, &draw("offer"));
    two.hears("draw", 1, "offer");
    // A page is told all again once the match goes on.
    let frames = |page: &Page| -> BTreeMap<u64, Value> {
        let lines = page.heard.iter().map(|line| serde_json::from_str(line));
        let messages = lines.map(|line: Result<Value, _>| line.expect("JSON"));
        let frames = messages.filter(|one| one["type"] == "frame");
        frames
            .map(|mut frame| {
                // A move that is played again takes another time.
                frame["used_ms"].take();
                (frame["ply"].as_u64().expect("a ply"), frame)
            })
            .collect()
    };
    two.reload(1);
    two.pages[1].hear_of("offer");
    let before = frames(&two.pages[1]);
    assert_eq!(before.len(), 3, "{before:?}");
    two.gateway.start_again("KILL");
    for player in [0, 1] {
        two.reload(player);
    }
    for page in &mut two.pages {
        assert_eq!(page.hear_of("offer")["act"], "offer");
    }
    // A reloaded page shows the moves from before that position too.
    assert_eq!(frames(&two.pages[1]), before);
    let is_ask = |line: &String| line.contains(r#""type":"ask""#);
    if !two.pages[0].heard.iter().any(is_ask) {
        two.pages[0].hear_of("ask");
    }
    two.say(0, &draw("accept"));
    for page in &mut two.pages {
        assert_eq!(page.hear_of("result")["end"], "agreed");
        assert_eq!(page.hear_of("over")["reason"], Value::Null);
    }
}
