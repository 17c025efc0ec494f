//! Lost connections and returns by token, over TCP.

use end_to_end::native::Client;
use end_to_end::run::Server;
use serde_json::json;

#[test]
fn a_wrong_token_gets_no_seat_and_an_old_one_neither() {
    let server = Server::serve("score-four --games 1");
    let mut clients = Client::pair(server.port);
    let mut tokens = vec![String::new(), "0".repeat(32), "x".repeat(3000)];
    clients[0].say(r#"{"type":"resign"}"#);
    for client in &mut clients {
        tokens.push(client.token.clone());
        assert!(client.is_closed());
    }
    // The record is closed before the seats are forgotten, or just after.
    server.wait_for_results(1);
    for token in tokens {
        let mut client = Client::connect(server.port);
        client.send(&json!({"type": "hello", "versions": [1], "name": "x", "token": token}));
        client.error("token");
        assert!(client.is_closed());
    }
}

#[test]
fn one_that_waits_may_leave_or_come_back() {
    let server = Server::serve("score-four --games 1");
    let mut first = Client::seated(server.port, "ana");
    let mut again = Client::back(server.port, &first.token, Some(0));
    first.error("replaced");
    again.say(r#"{"type":"leave"}"#);
    assert!(again.is_closed());
    let third = Client::seated(server.port, "cho");
    third.close();
    // A seat that is free again is given to the next.
    let mut players = Client::seated(server.port, "dan");
    let _last = Client::seated(server.port, "eve");
    assert_eq!(players.expect("match")["players"], json!(["dan", "eve"]));
}

#[test]
fn a_flood_of_returns_is_dammed() {
    let server = Server::serve("score-four --games 1");
    let [mut first, second] = Client::pair(server.port);
    let token = second.token.clone();
    let mut back = vec![second];
    let refused = loop {
        let mut client = Client::connect(server.port);
        client.send(&json!({"type": "hello", "versions": [1], "name": "x", "token": token}));
        let answer = client.hear();
        if answer["type"] == "error" {
            break (client, answer);
        }
        back.push(client);
        assert!(back.len() < 200);
    };
    let (mut client, answer) = refused;
    assert_eq!(answer["code"], "rate");
    assert!(client.is_closed());
    assert!(back.len() > 32);
    // The last that was let in has the seat, and the game goes on.
    let mut second = back.pop().expect("a client");
    second.wait_for("view");
    first.play("a1");
    assert_eq!(second.wait_for("moved")["move"], "a1");
    second.wait_for("request");
    second.play("b1");
    assert_eq!(first.wait_for("request")["ply"], 2);
}

#[test]
fn those_that_wait_keep_the_number_that_they_were_told() {
    let server = Server::serve("blokus --games 1");
    let seated = |name: &str| {
        let mut client = Client::connect(server.port);
        client.send(&json!({"type": "hello", "versions": [1], "name": name}));
        let welcome = client.expect("welcome");
        let number = welcome["player"].as_u64().expect("a number");
        let token = welcome["token"].as_str().expect("a token");
        token.clone_into(&mut client.token);
        (client, number, name.to_owned())
    };
    let [(mut first, _, _), second, third] = ["ana", "bo", "cho"].map(seated);
    first.say(r#"{"type":"leave"}"#);
    assert!(first.is_closed());
    let mut again = Client::connect(server.port);
    let token = &third.0.token;
    again.send(&json!({"type": "hello", "versions": [1], "name": "x", "token": token}));
    assert_eq!(again.expect("welcome")["player"], third.1);
    let third = (again, third.1, third.2);
    let (fourth, fifth) = (seated("dan"), seated("eve"));
    let mut all = [second, third, fourth, fifth];
    let mut numbers = all.each_ref().map(|one| one.1);
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1, 2, 3]);
    for (client, number, name) in &mut all {
        let players = client.expect("match")["players"].clone();
        assert_eq!(players[*number as usize], name.as_str(), "{players}");
        client.expect("game");
        // Seats of the first game go by arrival.
        assert_eq!(client.expect("view")["seat"], *number);
    }
}
