//! Players of the native protocol, of any game.

use end_to_end::native::{Client, Random};
use serde_json::json;

pub(crate) fn play(mode: &str, port: u16) {
    let mut client = Client::connect(port);
    if mode == "bad-handshake" {
        client.say("hello");
    } else {
        client.send(&json!({"type": "hello", "versions": [1], "name": "mock"}));
    }
    Random::in_mode(mode).play(client);
}
