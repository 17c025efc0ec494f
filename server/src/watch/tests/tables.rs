//! What watchers are told of whole matches.

use games::daihinmin::{Chance, Daihinmin, Dealer, Session, SessionRules, Turn, is_valid_gift};
use games::{Blokus, Dobutsu, Geister, ScoreFour};
use protocol::native::SERVER_LINE_LIMIT;
use record::watch::{State, Table};
use record::{Frame, GameResult, RecordReader, replay};
use serde_json::json;

use super::*;

/// A match of random games of one kind, with the public view after each move.
pub(super) fn open_match<G: Game>(
    games: u32,
    seed: u64,
) -> (Header, Vec<Event>, Vec<Value>, Vec<Vec<Value>>) {
    let rules = G::Rules::default();
    let header = header(G::NAME, "native", G::SEATS, games).with_rules(&rules);
    let (mut events, mut views, mut last) = (Vec::new(), Vec::new(), Vec::new());
    let mut rng = rng(seed);
    let mut points = vec![0.0; G::SEATS];
    for number in 1..=games {
        let seating = Seating::rotation(G::SEATS, number as usize % G::SEATS);
        let mut game = G::begin(&rules, 0);
        events.push(begin(number, &seating).at(0));
        views.push(json(&game.public_view()));
        while let Some(seat) = game.to_move() {
            let mv = random_move(&game, &mut rng);
            game.play(mv).unwrap();
            let player = seating.player_at(seat);
            let setup = What::Setup {
                player: player.number(),
                setup: mv.to_string(),
                name: None,
            };
            let is_setup = G::NAME == GameName::Geister && game.ply() <= 2;
            events.push(if is_setup {
                setup.at(0)
            } else {
                moved(player, mv)
            });
            views.push(json(&game.public_view()));
        }
        let over = end(number, &game, &seating);
        if let What::End { points: won, .. } = &over {
            for (sum, won) in points.iter_mut().zip(won) {
                *sum += won;
            }
        }
        events.push(over.at(0));
        last.push(seat_views(&game));
    }
    let result = What::Result {
        games,
        points,
        kinds: vec![EndKind::Normal; G::SEATS],
        seed: Some(77_777),
        key: None,
        reason: None,
    };
    events.push(result.at(0));
    (header, events, views, last)
}

fn frames(messages: &[WatchMessage]) -> Vec<&Frame> {
    let boxed = messages.iter().filter_map(|message| match message {
        WatchMessage::Frame { frame, .. } => Some(&**frame),
        _ => None,
    });
    boxed.collect()
}

fn results(messages: &[WatchMessage]) -> Vec<&GameResult> {
    let boxed = messages.iter().filter_map(|message| match message {
        WatchMessage::Result { result, .. } => Some(&**result),
        _ => None,
    });
    boxed.collect()
}

/// The views that watchers were told.
fn told_views(messages: &[WatchMessage]) -> Vec<Value> {
    let views = frames(messages).into_iter();
    views.flat_map(|frame| frame.views.clone()).collect()
}

/// The record that the messages of one match hold.
fn told_record(messages: &[WatchMessage]) -> String {
    let mut lines = Vec::new();
    for message in messages {
        match message {
            WatchMessage::Match { header, .. } => lines = vec![json(header).to_string()],
            WatchMessage::Record { events, .. } => {
                lines.extend(events.iter().map(|event| json(event).to_string()));
            }
            _ => {}
        }
    }
    lines.join("\n")
}

fn a_match_is_told<G: Game>() {
    let (header, events, views, last) = open_match::<G>(3, 5);
    let mut stage = Stage::new(16);
    stage.play(&header, &events);
    let messages = &stage.messages;
    assert_eq!(told_views(messages), views, "{}", G::NAME);
    let results = results(messages);
    assert_eq!(results.len(), 3);
    for (result, last) in results.iter().zip(&last) {
        let (places, ends) = (&result.places, &result.ends);
        assert_eq!(&result.views, last);
        assert!(places.len() == G::SEATS && places.contains(&1));
        assert_eq!(ends.len(), if G::SEATS > 2 { G::SEATS } else { 0 });
    }
    let text = told_record(messages);
    let replayed = replay(RecordReader::new(text.as_bytes(), "told").unwrap()).unwrap();
    let Some(What::Result { points, .. }) = events.last().map(|event| &event.what) else {
        panic!("a match has a result");
    };
    assert_eq!(
        (replayed.games, replayed.points.to_vec()),
        (3, points.clone())
    );
    let over = &messages[messages.len() - 2..];
    assert!(
        matches!(&over[0], WatchMessage::Over { scores, games: 3, reason: None, .. } if scores == points)
    );
    assert!(matches!(
        &over[1],
        WatchMessage::Table(Table {
            state: State::Over,
            ..
        })
    ));
    // Seeds and keys are for records only.
    assert!(!stage.lines().contains("77777"));
    assert!(stage.tables.playing().next().is_none() && stage.tables.is_over(1));
    for message in messages {
        assert_eq!(
            WatchMessage::parse(message.to_line().as_bytes()).as_ref(),
            Ok(message)
        );
    }
}

#[test]
fn matches_of_every_open_game_are_told_and_replay() {
    a_match_is_told::<ScoreFour>();
    a_match_is_told::<Dobutsu>();
    a_match_is_told::<Blokus>();
}

#[test]
fn set_ups_of_geister_are_moves_without_colours() {
    a_match_is_told::<Geister>();
    let (header, mut events, ..) = open_match::<Geister>(1, 9);
    // Seat 1 is the first that sets up.
    events.swap(1, 2);
    let mut stage = Stage::new(16);
    stage.play(&header, &events);
    let moves = frames(&stage.messages).into_iter();
    let moves =
        moves.filter_map(|frame| Some((frame.ply, frame.seat?.number(), frame.mv.as_deref()?)));
    let first: Vec<_> = moves.take(2).collect();
    assert_eq!(first, [(1, 0, "placed"), (2, 1, "placed")]);
}

#[test]
fn every_seat_of_blokus_goes_out_once() {
    let (header, events, ..) = open_match::<Blokus>(1, 2);
    let mut stage = Stage::new(16);
    stage.play(&header, &events);
    let outs = frames(&stage.messages).into_iter();
    let outs = outs.flat_map(|frame| frame.outs.iter().map(|out| out.seat.number()));
    let mut outs: Vec<u8> = outs.collect();
    outs.sort_unstable();
    assert_eq!(outs, [0, 1, 2, 3]);
    // Two seats go out by faults before the first move.
    let seating = Seating::identity(4);
    let fault = |player, kind| What::Forfeit {
        player,
        kind,
        reason: "it is slow".to_owned(),
    };
    let events = [
        begin(1, &seating).at(0),
        fault(2, EndKind::Timeout).at(0),
        fault(0, EndKind::Resign).at(0),
        moved(Player::new(1), "t20"),
    ];
    let mut stage = Stage::new(16);
    stage.play(&header, &events);
    let to_move = |frame: &Frame| frame.to_move.map(Seat::number);
    let outs: Vec<_> = stage
        .messages
        .iter()
        .filter_map(|message| match message {
            WatchMessage::Frame { frame, .. } => match (&frame.outs[..], frame.seat) {
                ([out], _) => Some((out.seat.number(), out.end.as_str(), to_move(frame))),
                (_, Some(seat)) => Some((seat.number(), "moved", None)),
                (_, None) => None,
            },
            WatchMessage::Over { reason, .. } => Some((9, reason.as_deref().unwrap(), None)),
            _ => None,
        })
        .collect();
    assert_eq!(
        outs,
        [
            (2, "timeout", Some(0)),
            (0, "resign", Some(1)),
            (1, "moved", None),
            (9, "it broke off", None)
        ]
    );
}

#[test]
fn a_fault_that_ends_a_game_is_named() {
    let seating = Seating::rotation(2, 1);
    let header = header(GameName::ScoreFour, "native", 2, 1).with_rules(&json!({}));
    let events = [
        begin(1, &seating).at(0),
        moved(Player::new(1), "b3"),
        What::Forfeit {
            player: 0,
            kind: EndKind::Timeout,
            reason: "its time is up".to_owned(),
        }
        .at(4),
        What::End {
            game: 1,
            places: vec![1, 0],
            points: vec![0.0, 1.0],
            game_points: Vec::new(),
            kinds: vec![EndKind::Timeout, EndKind::Normal],
            rule: None,
        }
        .at(4),
    ];
    let mut stage = Stage::new(16);
    stage.play(&header, &events);
    let result = results(&stage.messages)[0];
    assert_eq!(
        (&result.places[..], &result.scores[..]),
        (&[1, 2][..], &[1.0, 0.0][..])
    );
    assert_eq!(
        (&result.end[..], result.by),
        ("timeout", Some(Seat::new(1)))
    );
    assert_eq!(result.reason.as_deref(), Some("its time is up"));
}

/// Games of Daihinmin with their exchanges, each with the game as the rules of the project play it.
fn daihinmin(games: u32, seed: u64) -> (Header, Vec<Event>, Vec<Value>, Vec<Vec<Value>>) {
    let rules = SessionRules::default();
    let mut session = Session::new(rules, Dealer::of(Chance::Plain(seed)));
    let header = header(GameName::Daihinmin, "uecda", 5, games).with_rules(&rules);
    let (mut events, mut views, mut last) = (Vec::new(), Vec::new(), Vec::new());
    let mut rng = rng(seed);
    for number in 1..=games {
        let deal = session.deal();
        let mut game = Daihinmin::from_deal(&deal, [0, 1, 2, 3, 4]);
        events.push(What::begin(&deal).at(0));
        events.extend(What::tributes(&deal).into_iter().map(|what| what.at(0)));
        views.push(json(&game.public_view()));
        let player = |seat: u8| deal.player_at[usize::from(seat)];
        while let Some(seat) = game.to_move() {
            let mut turn = random_move(&game, &mut rng);
            // Passes alone would stop the game, which ends by a lot then.
            if turn == "pass".parse().unwrap() {
                turn = random_move(&game, &mut rng);
            }
            events.push(match turn {
                Turn::Give(cards) => {
                    let owed = game.public_view().owed[seat.index()];
                    assert!(is_valid_gift(game.state().hands[seat.index()], cards, owed));
                    let poor = deal.seat_of_rank(if owed == 2 { 4 } else { 3 });
                    What::give(player(seat.number()), player(poor), cards).at(0)
                }
                Turn::Lay(meld) => What::play(player(seat.number()), meld).at(0),
            });
            game.play(turn).unwrap();
            views.push(json(&game.public_view()));
        }
        let places = game.state().table.places;
        session.finish(places);
        let places = session.places();
        let over = What::End {
            game: number,
            places: places.to_vec(),
            points: places.iter().map(|&p| 5.0 - f64::from(p)).collect(),
            game_points: Vec::new(),
            kinds: vec![EndKind::Normal; 5],
            rule: None,
        };
        events.push(over.at(0));
        last.push(seat_views(&game));
    }
    (header, events, views, last)
}

#[test]
fn daihinmin_is_told_as_its_rules_say_with_gifts_but_without_cards() {
    let (header, events, views, last) = daihinmin(6, 3);
    let mut stage = Stage::new(16);
    stage.play(&header, &events);
    assert_eq!(told_views(&stage.messages), views);
    let ends = results(&stage.messages).into_iter();
    let ends: Vec<_> = ends
        .map(|result| (&result.views, &result.end[..]))
        .collect();
    let due = last.iter().map(|views| (views, "played-out"));
    assert_eq!(ends, due.collect::<Vec<_>>());
    let gifts = frames(&stage.messages).into_iter();
    let gifts = gifts.filter(|frame| frame.mv.as_deref() == Some("give"));
    assert_eq!(gifts.count(), 10);
    let text = told_record(&stage.messages);
    let replayed = replay(RecordReader::new(text.as_bytes(), "told").unwrap()).unwrap();
    assert_eq!(replayed.games, 6);
}

#[test]
fn a_lot_changes_the_view_without_a_move() {
    let session = &mut Session::new(SessionRules::default(), Dealer::of(Chance::Plain(1)));
    let deal = session.deal();
    let header = header(GameName::Daihinmin, "uecda", 5, 1).with_rules(&SessionRules::default());
    let mut events = vec![What::begin(&deal).at(0)];
    let mut position = deal.start();
    while !position.table.is_stalled() {
        let player = deal.player_at[usize::from(position.table.turn)];
        events.push(moved(Player::new(player), "pass"));
        position.play("pass".parse().unwrap()).unwrap();
    }
    let order = [4, 3, 2, 1, 0].map(|seat: usize| deal.player_at[seat]);
    events.push(
        What::Lot {
            order: order.to_vec(),
        }
        .at(0),
    );
    let mut stage = Stage::new(64);
    stage.play(&header, &events);
    let last = frames(&stage.messages).pop().unwrap();
    assert_eq!((last.ply, last.to_move), (20, None));
    assert_eq!(last.views[0]["table"]["places"], json!([4, 3, 2, 1, 0]));
}

#[test]
fn a_table_that_is_ahead_goes_on_and_its_next_game_is_told() {
    let (header, events, ..) = open_match::<ScoreFour>(3, 4);
    let mut stage = Stage::new(12);
    let mut public = stage.watching.table(&header);
    let mut game = 0;
    for event in &events {
        if let What::Begin { .. } = event.what {
            game += 1;
            stage.take();
        }
        public.event(event);
        // Nobody takes in the second game while it is played.
        if game != 2 {
            stage.take();
        }
    }
    drop(public);
    stage.take();
    let results = stage.messages.iter().filter_map(|message| match message {
        WatchMessage::Result { result, .. } => Some((result.game, "result")),
        WatchMessage::Missed { game, .. } => Some((*game, "missed")),
        WatchMessage::Over { .. } => Some((9, "over")),
        _ => None,
    });
    let results: Vec<_> = results.collect();
    assert_eq!(
        results,
        [(1, "result"), (2, "missed"), (3, "result"), (9, "over")]
    );
}

#[test]
fn a_watcher_that_comes_later_gets_the_present_view() {
    let (header, events, views, _) = open_match::<Dobutsu>(1, 4);
    let mut stage = Stage::new(64);
    let mut public = stage.watching.table(&header);
    for event in &events[..6] {
        public.event(event);
    }
    public.presence(Player::new(1), false);
    stage.take();
    let present = stage.tables.present(1, true);
    let frame = frames(&present)[0];
    assert_eq!((frame.game, frame.ply, &frame.views[0]), (1, 5, &views[5]));
    assert!(matches!(
        present[3],
        WatchMessage::Presence {
            player: 1,
            here: false,
            ..
        }
    ));
    assert_eq!(stage.tables.present(1, false).len(), 1);
    assert_eq!(stage.tables.present(2, true), []);
}

/// The longest game: its record and the views of both seats at its end are messages within the limit of a line.
#[test]
fn the_longest_game_is_told_in_lines_within_their_limit() {
    let rules = games::dobutsu::Rules {
        repetition: 0,
        ..Default::default()
    };
    let header = header(GameName::Dobutsu, "native", 2, 1).with_rules(&rules);
    let (seating, mut game) = (Seating::rotation(2, 0), Dobutsu::begin(&rules, 0));
    let mut events = vec![begin(1, &seating).at(0)];
    for mv in ["1d1c", "3a3b", "1c1d", "3b3a"].iter().cycle() {
        let Some(seat) = game.to_move() else {
            break;
        };
        game.play_text(mv).unwrap();
        events.push(moved(seating.player_at(seat), mv));
    }
    events.push(end(1, &game, &seating).at(0));
    let mut stage = Stage::new(events.len() + 16);
    stage.play(&header, &events);
    let told = |message: &WatchMessage| matches!(message, WatchMessage::Result { .. });
    assert!(stage.messages.iter().any(told));
    let longest = stage
        .messages
        .iter()
        .map(|message| message.to_line().len())
        .max();
    assert!(longest < Some(SERVER_LINE_LIMIT), "{longest:?}");
}
