//! The referee at byte level, in virtual time.

use games::GameName;
use games::geister::Rules;
use protocol::gat::Names;
use record::{Event, Header};

use super::*;
use crate::referee::testing::{self, Dialogue};

/// What the tables of a dialogue are like.
struct Tables {
    settings: GameSettings,
    names: Names,
    missing: Option<usize>,
}

impl Default for Tables {
    fn default() -> Tables {
        let clocks = Clocks {
            move_ms: Some(500),
            game_ms: Some(3000),
            increment_ms: None,
        };
        Tables {
            settings: GameSettings {
                game: 1,
                began: Duration::ZERO,
                seating: Seating::identity(SEATS),
                rules: Rules { ply_limit: 200 },
                clocks: ByPlayer::of(SEATS, clocks),
                set_up: Some(Duration::from_secs(1)),
                wait: [Duration::ZERO; SEATS],
                ng_terminates: true,
                closes_second: false,
            },
            names: Names::Refused,
            missing: None,
        }
    }
}

impl Dialogue for Tables {
    type Referee = GatReferee;

    fn set(&mut self, key: &str, value: &str) {
        let number = |value: &str| value.parse().expect("a number");
        let settings = &mut self.settings;
        match key {
            "ply-limit" => settings.rules.ply_limit = number(value),
            "first" => settings.seating = Seating::rotation(SEATS, usize::from(number(value))),
            "ng-terminates" => settings.ng_terminates = value == "yes",
            "closes-second" => settings.closes_second = value == "yes",
            "set-up-ms" => settings.set_up = value.parse().ok().map(Duration::from_millis),
            "wait-ms" => {
                let (first, second) = value.split_once(' ').expect("two numbers");
                let ms = |text| Duration::from_millis(u64::from(number(text)));
                settings.wait = [ms(first), ms(second)];
            }
            "missing" => self.missing = value.parse().ok(),
            "names" if value == "optional" => self.names = Names::Optional,
            "names" => self.names = Names::Refused,
            _ => panic!("no setting {key}"),
        }
    }

    fn table(&mut self) -> GatReferee {
        let mut players = [(); SEATS].map(|()| Entrant::new(self.names));
        if let Some(missing) = self.missing {
            players[missing].is_there = false;
        }
        GatReferee::new(self.settings.clone(), players)
    }

    fn read(&mut self, _: &GatReferee, _: Player, text: &str, _: Duration) -> Vec<Bytes> {
        vec![testing::bytes(text).into()]
    }

    fn print(&mut self, _: Player, message: &Bytes) -> String {
        message.escape_ascii().to_string()
    }

    fn verify(&self, events: &[Event]) {
        let ply_limit = self.settings.rules.ply_limit;
        let header = Header::new(GameName::Geister, "m", "gat", Vec::new(), 1);
        let header = header.with_rules(&Rules { ply_limit });
        testing::replayed(&header, events).expect("no contradiction");
    }
}

#[test]
fn dialogues_go_as_they_are_written() {
    testing::play_all::<Tables>("gat");
}
