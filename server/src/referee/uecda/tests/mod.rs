//! The referee in virtual time: dialogues, and what holds for any tables.

use std::time::Duration;

use bytes::BytesMut;
use games::GameName;
use games::daihinmin::{SessionRules, legal_moves};
use protocol::uecda::{cards_table, meld_table};
use record::{Clocks, Event, Header};

use super::*;
use crate::config::Compat;
use crate::referee::testing::{self, Dialogue};

mod properties;

fn settings(games: u32, seed: u64) -> UecdaMatchSettings {
    UecdaMatchSettings {
        sessions: vec![SessionSettings::new(games, Chance::Plain(seed))],
        rules: SessionRules::default(),
        compat: Compat::Safe,
        clocks: ByPlayer::of(SEATS, Clocks::default()),
        timeouts: 0,
    }
}

/// The lowest legal answer of the awaited player, from the referee's own state.
fn honest(referee: &UecdaReferee) -> CardTable {
    if let Some((hand, owed)) = referee.gift_due() {
        return cards_table(hand.iter().take(owed as usize).collect());
    }
    let (mut moves, position) = (Vec::new(), referee.position());
    legal_moves(&position.table, position.hand(), &mut moves);
    let melds = moves.iter().copied().filter(|meld| !meld.is_pass());
    let lowest = melds.min_by_key(|meld| (meld.low(), meld.len()));
    meld_table(lowest.unwrap_or(Meld::PASS))
}

/// The settings of the tables of a dialogue.
struct Tables(UecdaMatchSettings);

impl Default for Tables {
    fn default() -> Tables {
        Tables(settings(1, 1))
    }
}

impl Dialogue for Tables {
    type Referee = UecdaReferee;

    fn set(&mut self, key: &str, value: &str) {
        let number = value.parse().ok();
        let Tables(settings) = self;
        let mut clock = |set: fn(&mut Clocks, Option<u64>)| {
            let clocks = settings.clocks.iter_mut();
            clocks.for_each(|clocks| set(clocks, number));
        };
        match key {
            "games" => settings.sessions[0].games = value.parse().expect("a number"),
            "timeouts" => settings.timeouts = value.parse().expect("a number"),
            "move-ms" => clock(|clocks, ms| clocks.move_ms = ms),
            "budget-ms" => clock(|clocks, ms| clocks.game_ms = ms),
            _ => panic!("no setting {key}"),
        }
    }

    fn table(&mut self) -> UecdaReferee {
        UecdaReferee::new(self.0.clone(), &CardTable::default())
    }

    fn read(
        &mut self,
        referee: &UecdaReferee,
        _: Player,
        text: &str,
        _: Duration,
    ) -> Vec<Result<CardTable, WireError>> {
        vec![match text {
            "nonsense" => Err(WireError::Length { want: 33, got: 1 }),
            "pass" => Ok(CardTable::default()),
            "lowest" => Ok(honest(referee)),
            cards => Ok(cards_table(cards.parse().expect("cards"))),
        }]
    }

    /// Tables as they are written in the shortest version.
    fn print(&mut self, _: Player, message: &UecdaMessage) -> String {
        match message {
            UecdaMessage::Number(number) => number.to_string(),
            UecdaMessage::Table(_) => {
                let mut bytes = BytesMut::new();
                message.encode(Version::V20140, &mut bytes);
                bytes.escape_ascii().to_string()
            }
        }
    }

    fn awaited(&self, referee: &UecdaReferee) -> Option<Player> {
        referee.awaited()
    }

    fn is_at(&self, referee: &UecdaReferee, what: &str) -> bool {
        let player = referee.awaited().expect("a match that goes on").number();
        let game = referee.deal.game;
        what == format!("game {game}")
            || what == format!("player {player}")
            || what == format!("player {player} in game {game}")
            || matches!(referee.phase, MatchPhase::Gift(place) if what == format!("gift {place}"))
    }

    fn verify(&self, events: &[Event]) {
        let games = self.0.games();
        let header = Header::new(GameName::Daihinmin, "m", "uecda", Vec::new(), games);
        let header = header.with_rules(&self.0.rules);
        testing::replayed(&header, events).expect("no contradiction");
    }
}

#[test]
fn dialogues_go_as_they_are_written() {
    testing::play_all::<Tables>("uecda");
}

/// A referee with five clients that only listen, and a clock that is moved by hand.
struct Bench {
    referee: UecdaReferee,
    version: Version,
    out: Outbox<UecdaMessage>,
    events: Vec<Event>,
    /// All bytes sent to each player.
    sent: [BytesMut; SEATS],
}

impl Bench {
    fn new(settings: UecdaMatchSettings) -> Bench {
        Bench::speaking(settings, Version::V20070)
    }

    fn speaking(settings: UecdaMatchSettings, version: Version) -> Bench {
        let mut bench = Bench {
            referee: UecdaReferee::new(settings, &CardTable::default()),
            version,
            out: Outbox::at(Duration::ZERO),
            events: Vec::new(),
            sent: std::array::from_fn(|_| BytesMut::new()),
        };
        bench.referee.start(&mut bench.out);
        bench.collect();
        bench
    }

    fn collect(&mut self) {
        for (player, message) in self.out.messages.drain(..) {
            message.encode(self.version, &mut self.sent[player.index()]);
        }
        self.events.append(&mut self.out.events);
    }

    fn send(&mut self, table: &CardTable) {
        let player = self.referee.awaited().expect("somebody is awaited");
        self.receive(player, table);
    }

    fn receive(&mut self, player: Player, table: &CardTable) {
        self.referee.receive(player, Ok(*table), &mut self.out);
        self.collect();
    }

    fn ends(&self) -> Vec<&What> {
        let all = self.events.iter().map(|event| &event.what);
        all.filter(|what| matches!(what, What::End { .. }))
            .collect()
    }
}

#[test]
fn the_versions_carry_the_same_match() {
    let plays = |version| {
        let mut bench = Bench::speaking(settings(4, 10), version);
        while !bench.referee.is_over() {
            bench.send(&honest(&bench.referee));
        }
        let ends: Vec<What> = bench.ends().into_iter().cloned().collect();
        (ends, bench.sent[0].len())
    };
    let (ends, long) = plays(Version::V20070);
    assert_eq!(ends.len(), 4);
    assert_eq!(plays(Version::V20060), (ends.clone(), long));
    let (compact, short) = plays(Version::V20140);
    assert_eq!(compact, ends);
    assert!(short < long / 10);
}
