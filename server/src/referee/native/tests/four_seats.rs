//! Matches for four: the draw of seats, and facts that no dialogue can show.

use super::*;

fn four() -> MatchSettings<<Blokus as Game>::Rules> {
    let mut settings = settings::<Blokus>();
    let clocks = settings.clocks.iter_mut();
    clocks.for_each(|clocks| clocks.increment_ms = Some(50));
    settings
}

#[test]
fn seats_are_drawn_for_each_round_or_each_game() {
    let drawn = MatchSettings {
        draw: true,
        ..four()
    };
    let numbers = |settings: &MatchSettings<<Blokus as Game>::Rules>, game| -> Vec<u8> {
        let seating = settings.seating(game, 4);
        seating.players().iter().map(|p| p.number()).collect()
    };
    let seatings: Vec<Vec<u8>> = (0..400).map(|game| numbers(&drawn, game)).collect();
    for round in seatings.chunks(4) {
        for seat in 0..4 {
            let mut players: Vec<u8> = round.iter().map(|players| players[seat]).collect();
            players.sort_unstable();
            assert_eq!(players, [0, 1, 2, 3]);
        }
    }
    let mut orders: Vec<&Vec<u8>> = seatings.iter().step_by(4).collect();
    orders.sort_unstable();
    orders.dedup();
    assert_eq!(orders.len(), 24);
    let single = MatchSettings {
        swap: false,
        ..drawn.clone()
    };
    let first = (0..400)
        .filter(|&game| numbers(&single, game)[0] == 0)
        .count();
    assert!((60..140).contains(&first), "{first}");
    assert_eq!(numbers(&four(), 5), [1, 2, 3, 0]);
    let fixed = MatchSettings {
        swap: false,
        ..four()
    };
    assert_eq!(numbers(&fixed, 5), [0, 1, 2, 3]);
}

#[test]
fn a_player_that_comes_and_goes_cannot_fill_the_memory() {
    let mut table = Bench::<Blokus>::new(MatchSettings {
        clocks: ByPlayer::of(4, Clocks::default()),
        ..four()
    });
    for _ in 0..2000 {
        table.lose(1);
        table.rejoin(1, Some(u64::MAX));
    }
    table.told[1].clear();
    table.rejoin(1, Some(0));
    let told = &table.told[1];
    let events: Vec<u64> = told.iter().filter_map(ServerMessage::event).collect();
    assert_eq!(events.len(), super::super::history::MOST_KEPT);
    assert_eq!(events.last(), Some(&4001));
    let bytes: usize = told.iter().map(|message| message.to_line().len()).sum();
    assert!(bytes < crate::referee::MOST_PENDING / 2);
}

#[test]
fn the_seed_is_told_when_something_was_drawn() {
    for (draw, opening, due) in [
        (false, 0, None),
        (true, 0, Some(7)),
        (false, 4, Some(7)),
        (true, 4, Some(7)),
    ] {
        let mut table = Bench::<Blokus>::new(MatchSettings {
            seed: 7,
            draw,
            opening,
            ..four()
        });
        table.act(Referee::stop);
        let told = table.events.iter().find_map(|event| match &event.what {
            What::Result { seed, .. } => Some(*seed),
            _ => None,
        });
        assert_eq!(told, Some(due), "{draw} {opening}");
    }
}
