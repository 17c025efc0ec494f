//! How games and matches end.

use super::*;

fn results(told: &[ServerMessage]) -> Vec<(&str, Option<u8>, Option<&str>)> {
    let results = told.iter().filter_map(|message| match message {
        ServerMessage::Result {
            end, by, reason, ..
        } => Some((end.as_str(), *by, reason.as_deref())),
        _ => None,
    });
    results.collect()
}

#[test]
fn the_last_fault_ends_a_game_whatever_its_seat() {
    let mut table = Table::new(settings());
    table.send(3, ClientMessage::Resign);
    table.wait(1100);
    assert_eq!(table.mover(), Some(1));
    table.send(2, ClientMessage::Leave);
    let result = table.results[0].clone();
    assert_eq!(result.end_name(), "disconnect");
    assert_eq!((result.rule, result.end), (None, EndKind::Disconnect));
    let due = [
        EndKind::Timeout,
        EndKind::Normal,
        EndKind::Disconnect,
        EndKind::Resign,
    ];
    assert_eq!(result.kinds, due);
    let told = results(&table.told[1]);
    assert_eq!(told, [("disconnect", Some(2), Some("it gave up its seat"))]);
}

#[test]
fn a_game_that_a_rule_has_ended_has_no_fault_for_a_reason() {
    let mut table = Table::new(settings());
    let last = loop {
        let play = table.referee.play.as_ref().unwrap();
        let playing = play.ends.iter().filter(|end| end.is_none()).count();
        if playing == 1 {
            break table.mover().unwrap();
        }
        assert_eq!(play.number, 1, "a seat plays alone at the end");
        table.play(5);
    };
    table.send(last, ClientMessage::Resign);
    assert_eq!(results(&table.told[0]), [("no-moves", None, None)]);
    let result = &table.results[0];
    assert_eq!(result.end_name(), "no-moves");
    assert_eq!(result.kinds[Player::new(last)], EndKind::Resign);
}

#[test]
fn the_seed_is_told_when_something_was_drawn() {
    for (draw, opening, due) in [
        (false, 0, None),
        (true, 0, Some(7)),
        (false, 4, Some(7)),
        (true, 4, Some(7)),
    ] {
        let mut table = Table::new(MatchSettings {
            seed: 7,
            draw,
            opening,
            ..settings()
        });
        table.act(Referee::stop);
        let told = table.events.iter().find_map(|event| match &event.what {
            What::Result { seed, .. } => Some(*seed),
            _ => None,
        });
        assert_eq!(told, Some(due), "{draw} {opening}");
    }
}
