//! The referee at byte level, in virtual time.

use std::time::Duration;

use bytes::BytesMut;
use games::daihinmin::{Cards, Meld, Table as GameTable, legal_moves};
use protocol::uecda::{Field, Submission, cards_table, meld_table};

use crate::config::Compat;
use games::daihinmin::SessionRules;
use record::Clocks;

use super::*;
use protocol::uecda::WireError;
use record::Event;

mod properties;

const MS: Duration = Duration::from_millis(1);

fn settings(games: u32, seed: u64) -> UecdaMatchSettings {
    UecdaMatchSettings {
        sessions: vec![SessionSettings::new(games, Chance::Plain(seed))],
        rules: SessionRules::default(),
        compat: Compat::Safe,
        clocks: ByPlayer::of(SEATS, Clocks::default()),
        timeouts: 0,
    }
}

/// A referee with five clients that only listen, and a clock that is moved by hand.
struct Bench {
    referee: UecdaReferee,
    versions: [Version; SEATS],
    out: Outbox<UecdaMessage>,
    events: Vec<Event>,
    /// All bytes sent to each player.
    sent: [BytesMut; SEATS],
}

impl Bench {
    fn new(settings: UecdaMatchSettings) -> Bench {
        Bench::speaking(settings, [Version::V20070; SEATS])
    }

    fn speaking(settings: UecdaMatchSettings, versions: [Version; SEATS]) -> Bench {
        let mut bench = Bench {
            referee: UecdaReferee::new(settings, &CardTable::default()),
            versions,
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
            let version = self.versions[player.index()];
            message.encode(version, &mut self.sent[player.index()]);
        }
        self.events.append(&mut self.out.events);
    }

    fn send(&mut self, table: &CardTable) {
        let player = self.referee.awaited().expect("somebody is awaited");
        self.referee.receive(player, Ok(*table), &mut self.out);
        self.collect();
    }

    fn awaited(&self) -> u8 {
        let player = self.referee.awaited();
        player.expect("somebody is awaited").number()
    }

    fn lose(&mut self, player: u8) {
        let player = Player::new(player);
        self.referee
            .lose(player, EndKind::Disconnect, "gone", &mut self.out);
        self.collect();
    }

    fn pass_time(&mut self, time: Duration) {
        self.out.now += time;
        self.referee.wake(&mut self.out);
        self.collect();
    }

    /// What the awaited player is to do, from the referee's own state: a lowest legal answer.
    fn honest(&self) -> CardTable {
        if let Some((hand, owed)) = self.referee.gift_due() {
            return cards_table(hand.iter().take(owed as usize).collect());
        }
        let position = self.referee.position();
        meld_table(lowest(&position.table, position.hand()))
    }

    fn play_honestly(&mut self) {
        while !self.referee.is_over() {
            let table = self.honest();
            self.send(&table);
        }
    }

    fn ends(&self) -> Vec<(Vec<u8>, Vec<EndKind>)> {
        let events = self.events.iter();
        events
            .filter_map(|event| match &event.what {
                What::End { places, kinds, .. } => Some((places.clone(), kinds.clone())),
                _ => None,
            })
            .collect()
    }

    fn faults(&self, of: u8) -> Vec<EndKind> {
        let events = self.events.iter();
        events
            .filter_map(|event| match &event.what {
                What::Move { player, fault, .. }
                | What::Give {
                    from: player,
                    fault,
                    ..
                } if *player == of => *fault,
                _ => None,
            })
            .collect()
    }
}

fn lowest(table: &GameTable, hand: Cards) -> Meld {
    let mut moves = Vec::new();
    legal_moves(table, hand, &mut moves);
    let melds = moves.iter().copied().filter(|m| !m.is_pass());
    melds
        .min_by_key(|m| (m.low(), m.len()))
        .unwrap_or(Meld::PASS)
}

#[test]
fn a_turn_byte_by_byte() {
    let mut bench = Bench::new(settings(1, 1));
    let mover = usize::from(bench.awaited());
    let other = (mover + 1) % SEATS;
    // Deal and hand.
    assert_eq!(bench.sent[mover].len(), 960);
    let before = bench.sent.clone().map(|b| b.len());
    // A pass on the empty field is answered 9.
    bench.send(&CardTable::default());
    assert_eq!(bench.sent[mover].len(), before[mover] + 4 + 480 + 4 + 480);
    assert_eq!(bench.sent[other].len(), before[other] + 480 + 4 + 480);
    assert_eq!(bench.sent[mover][960..964], [0, 0, 0, 9]);
    assert_eq!(bench.sent[mover][964 + 480..][..4], [0, 0, 0, 0]);
    let field = protocol::uecda::decode_table(Version::V20070, &bench.sent[mover][964..1444]);
    let field = Field::parse(&field.unwrap()).unwrap();
    assert_eq!(field.cards, Submission::Pass);
    assert!(field.status.empty_field);
    // A lowest card is answered 9, a pass on it 8.
    let table = bench.honest();
    let mover = usize::from(bench.awaited());
    let at = bench.sent[mover].len();
    bench.send(&table);
    assert_eq!(bench.sent[mover][at..at + 4], [0, 0, 0, 9]);
    let mover = usize::from(bench.awaited());
    let at = bench.sent[mover].len();
    bench.send(&CardTable::default());
    assert_eq!(bench.sent[mover][at..at + 4], [0, 0, 0, 8]);
    assert!(bench.faults(mover as u8).is_empty());
}

#[test]
fn a_match_of_honest_players_has_no_fault() {
    let mut bench = Bench::new(settings(7, 2));
    bench.play_honestly();
    let result = bench.referee.result();
    assert_eq!((result.games, result.reason), (7, None));
    assert_eq!(result.points.iter().sum::<u32>(), 7 * 15);
    assert_eq!(result.kinds, [EndKind::Normal; SEATS]);
    assert_eq!(bench.ends().len(), 7);
    for (player, sent) in bench.sent.iter().enumerate() {
        assert_eq!(sent[sent.len() - 4..], [0, 0, 0, 2], "player {player}");
    }
    assert_eq!(bench.out.close, [0, 1, 2, 3, 4].map(Player::new));
    assert_eq!(bench.referee.next_deadline(), None);
}

#[test]
fn a_slow_player_passes_and_its_late_answer_is_dropped() {
    let mut settings = settings(1, 3);
    settings.clocks = ByPlayer::of(
        SEATS,
        Clocks {
            move_ms: Some(600_000),
            ..Clocks::default()
        },
    );
    let mut bench = Bench::new(settings);
    assert_eq!(bench.referee.next_deadline(), Some(600_000 * MS));
    let slow = bench.awaited();
    let late = bench.honest();
    bench.pass_time(599_999 * MS);
    assert_eq!(bench.referee.awaited(), Some(Player::new(slow)));
    bench.pass_time(MS);
    assert_ne!(bench.referee.awaited(), Some(Player::new(slow)));
    assert_eq!(bench.faults(slow), [EndKind::Timeout]);
    while bench.referee.awaited() != Some(Player::new(slow)) {
        let table = bench.honest();
        bench.send(&table);
    }
    // The answer to the missed request comes first; then the one to this request.
    let moves = bench.events.len();
    bench.send(&late);
    assert_eq!(bench.referee.awaited(), Some(Player::new(slow)));
    assert!(matches!(bench.events[moves].what, What::Refused { .. }));
    let table = bench.honest();
    bench.send(&table);
    assert_eq!(bench.faults(slow), [EndKind::Timeout]);
    bench.play_honestly();
    assert_eq!(bench.ends()[0].1[usize::from(slow)], EndKind::Timeout);
}

#[test]
fn a_client_that_skips_what_it_missed_is_understood() {
    let mut settings = settings(2, 3);
    settings.clocks = ByPlayer::of(
        SEATS,
        Clocks {
            move_ms: Some(100),
            ..Clocks::default()
        },
    );
    let mut bench = Bench::new(settings);
    while bench.referee.phase != MatchPhase::Gift(0) {
        let table = bench.honest();
        bench.send(&table);
    }
    let rich = bench.awaited();
    bench.pass_time(100 * MS);
    assert_eq!(bench.faults(rich), [EndKind::Timeout]);
    // Its next table is one card, which is no gift of two: it is the move that it looks like.
    while bench.referee.awaited() != Some(Player::new(rich)) {
        let table = bench.honest();
        bench.send(&table);
    }
    let position = bench.referee.position;
    let single = position.hand().suited().iter().find(|c| {
        let meld = Meld::single(c.column(), c.row());
        games::daihinmin::is_legal(&position.table, position.hand(), meld).is_ok()
    });
    if let Some(card) = single {
        bench.send(&cards_table(card.into()));
        assert_ne!(bench.referee.position, position);
    }
    bench.play_honestly();
    assert_eq!(bench.faults(rich), [EndKind::Timeout]);
}

#[test]
fn a_silent_player_is_given_up_and_the_match_ends() {
    let mut settings = settings(3, 4);
    settings.clocks = ByPlayer::of(
        SEATS,
        Clocks {
            move_ms: Some(1000),
            ..Clocks::default()
        },
    );
    let mut bench = Bench::new(settings);
    let mut waits = 0;
    while !bench.referee.is_over() {
        if bench.referee.awaited() == Some(Player::new(2)) {
            waits += 1;
            bench.pass_time(1000 * MS);
        } else {
            let table = bench.honest();
            bench.send(&table);
        }
    }
    assert_eq!(waits, ledger::SILENT_REQUESTS);
    assert_eq!(bench.referee.result().kinds[2], EndKind::Stall);
    assert!(bench.out.close.contains(&Player::new(2)));
    let kinds: Vec<EndKind> = bench.ends().iter().map(|(_, kinds)| kinds[2]).collect();
    assert_eq!(kinds, [EndKind::Timeout, EndKind::Stall, EndKind::Stall]);
}

/// Plays a match of six games in which player 2 is late once in those of these numbers, and answers otherwise.
fn late_in(games: &[u32], timeouts: u32) -> Bench {
    let mut settings = settings(6, 4);
    settings.clocks = ByPlayer::of(
        SEATS,
        Clocks {
            move_ms: Some(1000),
            ..Clocks::default()
        },
    );
    settings.timeouts = timeouts;
    let mut bench = Bench::new(settings);
    let mut was_late = 0;
    while !bench.referee.is_over() {
        let game = bench.referee.deal.game;
        let is_slow = bench.referee.awaited() == Some(Player::new(2));
        if is_slow && games.contains(&game) && was_late < game {
            was_late = game;
            let missed = bench.honest();
            bench.pass_time(1000 * MS);
            // Its answer comes all the same.
            bench.out.now += MS;
            bench
                .referee
                .receive(Player::new(2), Ok(missed), &mut bench.out);
            bench.collect();
        } else {
            let table = bench.honest();
            bench.send(&table);
        }
    }
    bench
}

#[test]
fn a_player_that_is_late_in_game_after_game_is_given_up() {
    let given_up = |bench: &Bench| -> Vec<(u8, String)> {
        let events = bench.events.iter();
        let forfeits = events.filter_map(|event| match &event.what {
            What::Forfeit { player, reason, .. } => Some((*player, reason.clone())),
            _ => None,
        });
        forfeits.collect()
    };
    let bench = late_in(&[2, 3, 4, 5, 6], 3);
    let reason = "it was out of time in 3 games in a row".to_owned();
    assert_eq!(given_up(&bench), [(2, reason)]);
    assert!(bench.out.close.contains(&Player::new(2)));
    // The others play on, and the match has all its games.
    let result = bench.referee.result();
    assert_eq!((result.games, &result.reason), (6, &None));
    let kinds = bench.ends();
    let all: Vec<EndKind> = kinds.iter().map(|(_, kinds)| kinds[2]).collect();
    let (good, late) = (EndKind::Normal, EndKind::Timeout);
    assert_eq!(all, [good, late, late, late, late, late]);
    assert!(!bench.referee.is_complete());
    // A game without a fault between them, fewer of them, and any number of them.
    for (games, timeouts) in [
        (&[1, 2, 4, 5][..], 3),
        (&[4, 5, 6], 4),
        (&[1, 2, 3, 4, 5, 6], 0),
    ] {
        let bench = late_in(games, timeouts);
        assert_eq!(given_up(&bench), [], "{games:?} {timeouts}");
    }
}

#[test]
fn the_budget_of_a_game_runs_down_and_comes_back() {
    let mut settings = settings(2, 5);
    settings.clocks = ByPlayer::of(
        SEATS,
        Clocks {
            game_ms: Some(1000),
            ..Clocks::default()
        },
    );
    let mut bench = Bench::new(settings);
    let slow = bench.awaited();
    // It thinks for 400 ms each time: its third decision of a game is its last.
    let mut decisions = [0; 2];
    while !bench.referee.is_over() {
        let game = bench.referee.deal.game as usize - 1;
        if bench.referee.awaited() == Some(Player::new(slow)) {
            decisions[game] += 1;
            bench.pass_time(400 * MS);
            if bench.referee.awaited() != Some(Player::new(slow)) {
                continue;
            }
        }
        let table = bench.honest();
        bench.send(&table);
    }
    assert!(decisions.iter().all(|&n| n >= 3), "{decisions:?}");
    assert_eq!(
        bench.referee.result().kinds[usize::from(slow)],
        EndKind::Timeout
    );
    assert_eq!(bench.ends().len(), 2);
}

#[test]
fn a_player_that_leaves_plays_on_as_passes() {
    // In the exchange, and when it is not awaited at all.
    for place in [0, 1] {
        let mut bench = Bench::new(settings(3, 6));
        while bench.referee.phase != MatchPhase::Gift(place) {
            let table = bench.honest();
            bench.send(&table);
        }
        let seat = usize::from(bench.referee.deal.seat_of_rank(place));
        let (hand, owed) = (
            bench.referee.deal.hands[seat],
            bench.referee.deal.owes[seat],
        );
        let gone = bench.awaited();
        bench.lose(gone);
        let strongest = games::daihinmin::strongest(hand, owed);
        assert!((bench.referee.deal.hands[seat] & strongest).is_empty());
        // The fugo may lead, and has then passed too.
        let faults = bench.faults(gone);
        assert!(!faults.is_empty() && faults.iter().all(|f| *f == EndKind::Disconnect));
        bench.play_honestly();
        let result = bench.referee.result();
        assert_eq!((result.games, result.reason), (3, None));
        assert_eq!(result.kinds[usize::from(gone)], EndKind::Disconnect);
        // It yet hears all of it.
        let sent = &bench.sent[usize::from(gone)];
        assert_eq!(sent[sent.len() - 4..], [0, 0, 0, 2]);
        let (places, kinds) = &bench.ends()[2];
        assert_eq!(places[usize::from(gone)], 4);
        assert_eq!(kinds[usize::from(gone)], EndKind::Disconnect);
    }
}

#[test]
fn a_match_without_players_is_void() {
    let mut bench = Bench::new(settings(1000, 7));
    (0..5).for_each(|player| bench.lose(player));
    assert!(bench.referee.is_over());
    let result = bench.referee.result();
    assert_eq!(result.games, 0);
    assert_eq!(result.reason.as_deref(), Some("all players are gone"));
    assert_eq!(bench.ends()[0].1, [EndKind::Void; SEATS]);
}

#[test]
fn a_stop_voids_the_game_in_play() {
    let mut bench = Bench::new(settings(2, 8));
    while bench.referee.deal.game == 1 {
        let table = bench.honest();
        bench.send(&table);
    }
    bench.referee.stop(&mut bench.out);
    bench.collect();
    let result = bench.referee.result();
    assert_eq!((result.games, result.points.iter().sum::<u32>()), (1, 15));
    assert!(bench.ends()[1].0.is_empty());
}

#[test]
fn unreadable_bytes_are_a_refused_move() {
    let mut bench = Bench::speaking(settings(1, 9), [Version::V20140; SEATS]);
    let player = bench.awaited();
    let at = bench.sent[usize::from(player)].len();
    let unreadable = Err(WireError::Length { want: 33, got: 1 });
    bench
        .referee
        .receive(Player::new(player), unreadable, &mut bench.out);
    bench.collect();
    assert_eq!(bench.sent[usize::from(player)][at..at + 4], [0, 0, 0, 8]);
    assert_eq!(bench.faults(player), [EndKind::ProtocolError]);
    bench.play_honestly();
}

#[test]
fn the_versions_carry_the_same_match() {
    let plays = |version| {
        let mut bench = Bench::speaking(settings(4, 10), [version; SEATS]);
        bench.play_honestly();
        (bench.ends(), bench.sent[0].len())
    };
    let (ends, long) = plays(Version::V20070);
    assert_eq!(plays(Version::V20060), (ends.clone(), long));
    let (compact, short) = plays(Version::V20140);
    assert_eq!(compact, ends);
    assert!(short < long / 10);
}
