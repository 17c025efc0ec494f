//! The Daihinmin client over real sockets, against a plain server, and its tracker against what
//! each seat truly may know.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use bots::daihinmin::client::{Options, PlayError, Summary, run};
use bots::daihinmin::tracker::{Assumptions, Tracker};
use clap::Parser;
use games::daihinmin::{
    Cards, Dealer, DealerKind, Exchanged, Meld, Position, Session, SessionRules, View, is_legal,
    strongest,
};
use protocol::uecda::{
    Deal, Field, GiftChoice, Hand, Profile, Status, Submission, Table, Version, cards_table, cell,
    decode_table, int_message, meld_table, table_message,
};

/// What happens at a table, told to five players: a match server with nothing but the rules.
trait Players {
    fn deal(&mut self, deal: &games::daihinmin::Deal, session: &Session);
    fn gift(&mut self, deal: &games::daihinmin::Deal, seat: u8, owed: u32) -> Cards;
    fn hand(&mut self, position: &Position, player_at: [u8; 5]);
    fn play(&mut self, position: &Position, player: u8) -> Meld;
    fn field(&mut self, mover: u8, meld: Meld, position: &Position, player_at: [u8; 5]);
    fn end(&mut self, code: i32, position: &Position, player_at: [u8; 5]);
}

fn run_match(games: u32, seed: u64, players: &mut impl Players) -> [u32; 5] {
    let rules = SessionRules {
        rank_reset: 7,
        ..SessionRules::default()
    };
    let mut session = Session::new(rules, Dealer::new(DealerKind::Modern, seed));
    for game in 1..=games {
        let mut deal = session.deal();
        players.deal(&deal, &session);
        for owed in [2, 1] {
            if let Some(seat) = (0..5_u8).find(|&seat| deal.owes[usize::from(seat)] == owed) {
                let gift = players.gift(&deal, seat, owed);
                deal.give(seat, gift);
            }
        }
        let mut position = deal.start();
        let at = deal.player_at;
        loop {
            players.hand(&position, at);
            let mover = at[usize::from(position.table.turn)];
            let asked = players.play(&position, mover);
            let legal = is_legal(&position.table, position.hand(), asked).is_ok();
            let meld = if legal { asked } else { Meld::PASS };
            position.lay(meld, meld.cards());
            players.field(mover, meld, &position, at);
            position.table.advance();
            if position.table.is_stalled() {
                session.settle_stall(&mut position);
            }
            let over = position.table.is_over();
            let code = i32::from(over) + i32::from(over && game == games);
            players.end(code, &position, at);
            if over {
                break;
            }
        }
        session.finish(position.table.places);
    }
    session.points()
}

fn by_player(values: [u8; 5], player_at: [u8; 5]) -> [u8; 5] {
    let mut out = [0; 5];
    for (seat, &player) in player_at.iter().enumerate() {
        out[usize::from(player)] = values[seat];
    }
    out
}

fn shown(deal: &games::daihinmin::Deal, player: usize) -> Cards {
    let seat = usize::from(deal.seat_of(player as u8));
    let poor = deal.ranked && deal.ranks[player] >= 3;
    if poor {
        deal.dealt[seat]
    } else {
        deal.hands[seat]
    }
}

fn owed(deal: &games::daihinmin::Deal, player: usize) -> u32 {
    deal.owes[usize::from(deal.seat_of(player as u8))]
}

/// Five clients on sockets.
struct Sockets(Vec<TcpStream>);

impl Sockets {
    fn accept(listener: &TcpListener) -> Sockets {
        let mut streams = Vec::new();
        for number in 0..5 {
            let (stream, _) = listener.accept().unwrap();
            stream.set_nodelay(true).unwrap();
            streams.push(stream);
            let mut sockets = Sockets(streams);
            let profile = Profile::parse(&sockets.read(number));
            assert!(!profile.name.is_empty());
            sockets.int(number, number as i32);
            streams = sockets.0;
        }
        Sockets(streams)
    }

    fn read(&mut self, player: usize) -> Table {
        let mut bytes = [0; 480];
        self.0[player].read_exact(&mut bytes).unwrap();
        decode_table(Version::V20070, &bytes).unwrap()
    }

    fn table(&mut self, player: usize, table: &Table) {
        let message = table_message(Version::V20070, table);
        self.0[player].write_all(&message).unwrap();
    }

    fn int(&mut self, player: usize, value: i32) {
        let message = int_message(Version::V20070, value);
        self.0[player].write_all(&message).unwrap();
    }

    fn public(&self, mut table: Table, position: &Position, player_at: [u8; 5]) -> Table {
        let counts = by_player(position.counts(), player_at);
        table[cell::TURN] = i32::from(player_at[usize::from(position.table.turn)]);
        table[cell::REVOLUTION] = i32::from(position.table.revolution);
        table[cell::LOCK] = i32::from(position.table.lock);
        for i in 0..self.0.len() {
            table[cell::count(i)] = i32::from(counts[i]);
            table[cell::rank(i)] = 4; // Unreliable in the middle of a game.
            table[cell::seat(i)] = i32::from(player_at[i]);
        }
        table
    }
}

impl Players for Sockets {
    fn deal(&mut self, deal: &games::daihinmin::Deal, _: &Session) {
        for player in 0..5 {
            let mut table = cards_table(shown(deal, player));
            table[cell::DEAL] = 1;
            table[cell::GIVE] = owed(deal, player) as i32;
            table[cell::TURN] = cell::TURN_IN_DEAL;
            let counts = by_player(deal.dealt.map(|h| h.len() as u8), deal.player_at);
            for i in 0..5 {
                table[cell::count(i)] = i32::from(counts[i]);
                table[cell::rank(i)] = i32::from(deal.ranks[i]);
                table[cell::seat(i)] = i32::from(deal.player_at[i]);
            }
            self.table(player, &table);
        }
    }

    fn gift(&mut self, deal: &games::daihinmin::Deal, seat: u8, owed: u32) -> Cards {
        let table = self.read(usize::from(deal.player_at[usize::from(seat)]));
        GiftChoice::parse(&table).cards(owed).unwrap()
    }

    fn hand(&mut self, position: &Position, player_at: [u8; 5]) {
        for player in 0..5 {
            let seat = player_at
                .iter()
                .position(|&p| usize::from(p) == player)
                .unwrap();
            let table = cards_table(position.hands[seat]);
            let mut table = self.public(table, position, player_at);
            table[cell::MY_TURN] = i32::from(position.table.turn == seat as u8);
            table[cell::EMPTY_FIELD] = i32::from(position.table.field.is_pass());
            self.table(player, &table);
        }
    }

    fn play(&mut self, position: &Position, player: u8) -> Meld {
        let player = usize::from(player);
        let meld = match Submission::parse(&self.read(player)) {
            Submission::Pass => Meld::PASS,
            Submission::Meld(meld) => meld,
            Submission::Malformed(reason) => panic!("{reason}"),
        };
        is_legal(&position.table, position.hand(), meld).unwrap();
        let refused = meld.is_pass() && !position.table.field.is_pass();
        self.int(player, if refused { 8 } else { 9 });
        meld
    }

    fn field(&mut self, _: u8, _: Meld, position: &Position, player_at: [u8; 5]) {
        let table = meld_table(position.table.field);
        let table = self.public(table, position, player_at);
        for player in 0..5 {
            self.table(player, &table);
        }
    }

    fn end(&mut self, code: i32, _: &Position, _: [u8; 5]) {
        for player in 0..5 {
            self.int(player, code);
        }
    }
}

#[derive(Parser)]
#[command(disable_help_flag = true)]
struct Arguments {
    #[command(flatten)]
    options: Options,
}

fn options(arguments: &str) -> Options {
    let words = std::iter::once("test").chain(arguments.split_whitespace());
    Arguments::try_parse_from(words).unwrap().options
}

/// Plays a match of these engines; gives the server's points and the summaries by player.
fn match_over_tcp(games: u32, arguments: [&str; 5]) -> ([u32; 5], Vec<Summary>, Vec<u8>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let clients: Vec<_> = arguments
        .iter()
        .map(|arguments| {
            let options = options(&format!("-h 127.0.0.1 -p {port} {arguments}"));
            thread::spawn(move || {
                let mut out = Vec::new();
                (run(&options, &mut out).unwrap().remove(0), out)
            })
        })
        .collect();
    let points = run_match(games, 5, &mut Sockets::accept(&listener));
    let mut summaries = Vec::new();
    let mut first_log = Vec::new();
    for (i, client) in clients.into_iter().enumerate() {
        let (summary, log) = client.join().unwrap();
        if i == 0 {
            first_log = log;
        }
        summaries.push(summary);
    }
    summaries.sort_by_key(|summary| summary.player);
    (points, summaries, first_log)
}

#[test]
fn five_clients_play_a_match_without_a_fault() {
    let random = "--engine random --seed 3";
    let (points, summaries, log) = match_over_tcp(
        40,
        [
            "--engine default --json",
            random,
            random,
            "--engine crow --playouts 20 --seed 1",
            random,
        ],
    );
    assert_eq!(points.iter().sum::<u32>(), 15 * 40);
    for (player, summary) in summaries.iter().enumerate() {
        assert_eq!(summary.points(), points[player]);
        assert_eq!((summary.games, summary.disagreements), (40, 0));
        assert_eq!((summary.corrected, summary.refused), (0, 0));
    }
    let lines: Vec<serde_json::Value> = String::from_utf8(log)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines.len() > 40 * 5);
    assert!(lines[0]["move"].is_string() && lines[0]["hand"].is_string());
    assert_eq!(lines.last().unwrap()["summary"]["games"], 40);
}

#[test]
fn a_spent_budget_is_played_out_by_the_default_engine() {
    let slow = "--engine crow --playouts 100000000 --game-ms 36 --seed 1";
    let random = "--engine random --seed 3";
    let (_, summaries, _) = match_over_tcp(2, [slow, random, random, random, random]);
    let longest = summaries
        .iter()
        .map(|s| s.longest.as_millis())
        .max()
        .unwrap();
    assert!(longest < 500, "{longest} ms for a share of 2 ms");
}

#[test]
fn faults_of_the_connection_are_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        let mut profile = [0; 480];
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut profile).unwrap();
        drop(stream);
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut profile).unwrap();
        stream.write_all(&[0, 0, 0, 9]).unwrap();
    });
    let options = options(&format!("-h 127.0.0.1 -p {port} --engine random --wait 0"));
    let closed = run(&options, &mut Vec::new()).unwrap_err();
    assert!(matches!(closed, PlayError::Closed { game: 0 }), "{closed}");
    let broken = run(&options, &mut Vec::new()).unwrap_err();
    assert!(matches!(broken, PlayError::Protocol { .. }), "{broken}");
    server.join().unwrap();
    let nobody = run(&options, &mut Vec::new()).unwrap_err();
    assert!(matches!(nobody, PlayError::Connect { .. }), "{nobody}");
}

/// Five trackers beside the five true views.
struct Beside {
    trackers: Vec<Tracker>,
    truth: Vec<View>,
    exchanged: [Exchanged; 5],
    turns: u32,
    checked: u64,
}

fn status(position: &Position, player_at: [u8; 5]) -> Status {
    Status {
        turn: player_at[usize::from(position.table.turn)],
        empty_field: position.table.field.is_pass(),
        revolution: position.table.revolution,
        lock: position.table.lock,
        counts: by_player(position.counts(), player_at),
        player_at,
    }
}

impl Players for Beside {
    fn deal(&mut self, deal: &games::daihinmin::Deal, _: &Session) {
        self.truth.clear();
        self.exchanged = [Exchanged::default(); 5];
        for (player, tracker) in self.trackers.iter_mut().enumerate() {
            let view = tracker.deal(&Deal {
                hand: shown(deal, player),
                give: owed(deal, player),
                counts: by_player(deal.dealt.map(|h| h.len() as u8), deal.player_at),
                ranks: deal.ranked.then_some(deal.ranks),
                player_at: deal.player_at,
            });
            assert_eq!(view.seat, deal.seat_of(player as u8));
            let reset = 7 - 1 - (deal.game - 1) % 7;
            assert_eq!(view.games_to_reset, Some(reset.min(30 - deal.game)));
            if deal.owes[usize::from(view.seat)] > 0 {
                assert_eq!(view.counts.map(u32::from).iter().sum::<u32>(), 53);
                assert_eq!(view.hand, deal.hands[usize::from(view.seat)]);
            }
        }
        for (poor, rich) in [(4, 0), (3, 1)] {
            if deal.ranked {
                let (p, r) = (deal.seat_of_rank(poor), deal.seat_of_rank(rich));
                let [ep, er] = [usize::from(p), usize::from(r)];
                let tribute = deal.tribute(poor);
                self.exchanged[ep].partner = Some(r);
                self.exchanged[ep].given = tribute;
                let received = strongest(deal.hands[er], tribute.len());
                let partner = Some(p);
                self.exchanged[er] = Exchanged {
                    partner,
                    received,
                    rich: true,
                    ..Exchanged::default()
                };
            }
        }
    }

    fn gift(&mut self, deal: &games::daihinmin::Deal, seat: u8, owed: u32) -> Cards {
        let hand = deal.hands[usize::from(seat)];
        let gift: Cards = hand.iter().take(owed as usize).collect();
        let partner = deal.seat_of_rank(if owed == 2 { 4 } else { 3 });
        self.exchanged[usize::from(seat)].given = gift;
        self.exchanged[usize::from(partner)].received = gift;
        self.trackers[usize::from(deal.player_at[usize::from(seat)])].gave(gift);
        gift
    }

    fn hand(&mut self, position: &Position, player_at: [u8; 5]) {
        if self.truth.is_empty() {
            for (seat, &exchanged) in self.exchanged.iter().enumerate() {
                let mut view = View::at_start(position, seat as u8);
                view.exchanged = exchanged;
                self.truth.push(view);
            }
        }
        for (seat, &player) in player_at.iter().enumerate() {
            let tracker = &mut self.trackers[usize::from(player)];
            tracker.hand(&Hand {
                hand: position.hands[seat],
                my_turn: position.table.turn == seat as u8,
                status: status(position, player_at),
            });
            let mut view = *tracker.view().unwrap();
            (view.ranks, view.games_to_reset) = (None, None);
            assert_eq!(view, self.truth[seat]);
            self.checked += 1;
        }
    }

    fn play(&mut self, position: &Position, _: u8) -> Meld {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        self.turns += 1;
        let lowest = usize::from(position.table.field.is_pass() && !self.turns.is_multiple_of(50));
        moves[lowest + (self.turns as usize * 7) % (moves.len() - lowest)]
    }

    fn field(&mut self, mover: u8, meld: Meld, position: &Position, player_at: [u8; 5]) {
        let mut status = status(position, player_at);
        status.empty_field = position.table.field.is_pass();
        status.turn = mover;
        let cards = Submission::parse(&meld_table(position.table.field));
        for (seat, &player) in player_at.iter().enumerate() {
            let seen = self.trackers[usize::from(player)].field(&Field { cards, status });
            assert_eq!(seen.map(|(_, meld)| meld), Some(meld));
            self.truth[seat].follow(meld).unwrap();
        }
    }

    fn end(&mut self, code: i32, position: &Position, player_at: [u8; 5]) {
        for (seat, &player) in player_at.iter().enumerate().filter(|_| code > 0) {
            let place = position.table.places[seat];
            assert_eq!(self.trackers[usize::from(player)].place(), Some(place));
        }
    }
}

#[test]
fn the_tracked_view_is_what_the_seat_may_know() {
    let assumptions = Assumptions {
        rank_reset: 7,
        games: Some(30),
        ..Assumptions::default()
    };
    let mut players = Beside {
        trackers: (0..5)
            .map(|player| Tracker::new(player, assumptions))
            .collect(),
        truth: Vec::new(),
        exchanged: [Exchanged::default(); 5],
        turns: 0,
        checked: 0,
    };
    run_match(30, 11, &mut players);
    assert!(players.checked > 5000, "{}", players.checked);
    assert!(
        players
            .trackers
            .iter()
            .all(|tracker| tracker.disagreements() == 0)
    );
}
