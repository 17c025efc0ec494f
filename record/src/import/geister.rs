//! The log of a game of the official server of GAT, see [`official_log`](crate::official_log).

use games::geister::{Rules, SEATS};
use games::{GameName, Geister};

use super::draft::{Draft, header};
use super::{Format, Imported, Wrong};
use crate::{EndKind, What};

/// Limits of plies under which a game may have been played: those of GAT since March 2024, and before.
const PLY_LIMITS: [u16; 2] = [200, 300];

pub(super) fn import(text: &str) -> Result<Imported, Wrong> {
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines: Vec<(u64, &str)> = lines.filter(|(_, line)| !line.is_empty()).collect();
    let mut first_wrong = None;
    for ply_limit in PLY_LIMITS {
        match game(&lines, Rules { ply_limit }) {
            Ok(made) => return Ok(made),
            Err(wrong) => first_wrong = first_wrong.or(Some(wrong)),
        }
    }
    Err(first_wrong.expect("rules were tried"))
}

fn game(lines: &[(u64, &str)], rules: Rules) -> Result<Imported, Wrong> {
    let mut names = [const { String::new() }; SEATS];
    for (_, line) in lines {
        if let Some((player, command)) = command(line)
            && let Some((_, name)) = command
                .strip_prefix("SET:")
                .and_then(|set| set.split_once(",NAME:"))
        {
            name.clone_into(&mut names[usize::from(player)]);
        }
    }
    let header = header(GameName::Geister, "", &names, "").with_rules(&rules);
    let mut draft = Draft::<Geister>::new(header);
    let begin = What::Begin {
        game: 1,
        seats: vec![0, 1],
        ranks: None,
        hands: Vec::new(),
        position: None,
    };
    draft.begin(begin).map_err(|reason| (0, reason))?;
    let mut winner = None;
    let mut left = lines.iter().peekable();
    while let Some(&(number, line)) = left.next() {
        let wrong = |reason: String| (number, reason);
        if winner.is_some() {
            return Err(wrong(
                "a line behind the winner: a log has one game".to_owned(),
            ));
        }
        if let Some(told) = line.strip_prefix("winner=") {
            winner = Some((number, told));
            continue;
        }
        let unknown = || wrong("lines are such as `player=0,MOV:A,N` and `winner=0`".to_owned());
        let (player, command) = command(line).ok_or_else(unknown)?;
        play(&mut draft, player, command, left.peek().is_none()).map_err(wrong)?;
    }
    if draft.game().game.state().is_none() {
        let reason = "the log lacks the set-up of a player: without the colours of all ghosts a game cannot be played again";
        return Err((0, reason.to_owned()));
    }
    let places = draft.game().outcome().map(|outcome| outcome.places);
    if let Some((number, told)) = winner {
        let due = places.map(|places| match &*places {
            [first, second] if first != second => u8::from(second < first),
            _ => 2,
        });
        if due.map(|due| due.to_string()).as_deref() != Some(told) {
            return Err((number, "the moves lead to no such winner".to_owned()));
        }
    }
    draft.end();
    draft.close(Format::GatLog, false)
}

/// The player and what it sent.
fn command(line: &str) -> Option<(u8, &str)> {
    let (player, command) = line.strip_prefix("player=")?.split_once(',')?;
    let player = ["0", "1"].into_iter().position(|one| one == player)?;
    Some((player as u8, command))
}

/// Plays what a player sent. A set-up that the server refused, and what came out of turn, cost nothing; what is no legal move
/// on one's turn costs the game, so only the last command may be one.
fn play(
    draft: &mut Draft<Geister>,
    player: u8,
    command: &str,
    is_last: bool,
) -> Result<(), String> {
    let refused = |reason: &str| What::Refused {
        player,
        sent: command.to_owned(),
        reason: reason.to_owned(),
    };
    if draft.game().game.state().is_none() {
        let read = command.strip_prefix("SET:").unwrap_or_default();
        let (setup, name) = match read.split_once(",NAME:") {
            Some((setup, name)) => (setup, Some(super::draft::short(name))),
            None => (read, None),
        };
        let set = draft.attempt(What::Setup {
            player,
            setup: setup.to_owned(),
            name,
        });
        return set.or_else(|reason| draft.take(refused(&reason)));
    }
    let Some(due) = draft.game().mover() else {
        return Err("a move behind the end".to_owned());
    };
    if due.number() != player {
        return draft.take(refused("it is not its turn"));
    }
    let mv = command.strip_prefix("MOV:").unwrap_or(command);
    let Err(reason) = draft.attempt(What::play(player, mv)) else {
        return Ok(());
    };
    if !is_last {
        return Err(reason);
    }
    draft.take(refused(&reason))?;
    // A log that is cut within its last line has no end.
    if mv
        .split_once(',')
        .is_none_or(|(_, direction)| direction.is_empty())
    {
        return Ok(());
    }
    draft.take(What::Forfeit {
        player,
        kind: EndKind::Illegal,
        reason,
    })
}

#[cfg(test)]
mod tests {
    use super::super::import;
    use super::super::testing::played;
    use crate::Record;
    use crate::official_log::game_log;

    use super::*;

    fn log_of(record: &[u8]) -> String {
        game_log(&Record::read(record, "r").unwrap().events).unwrap()
    }

    #[test]
    fn a_log_is_read_as_it_is_written() {
        for ply_limit in PLY_LIMITS {
            let game = played::<Geister>(&Rules { ply_limit }, None, |_| None);
            let log = log_of(&game);
            assert!(log.contains("winner="), "{log}");
            let made = import(log.as_bytes()).unwrap();
            assert_eq!(
                (made.format, made.games, made.is_unfinished),
                (Format::GatLog, 1, false)
            );
            assert_eq!(log_of(&made.bytes), log);
            let header = Record::read(&made.bytes[..], "r").unwrap().header;
            assert_eq!(
                (&header.players[0].name[..], &header.players[1].name[..]),
                ("p1", "p0")
            );
        }
    }

    #[test]
    fn refused_lines_cost_what_they_cost_at_the_server() {
        let set = "player=0,SET:ABCD\nplayer=1,SET:AAAA\nplayer=1,SET:EFGH\n";
        let log = format!("{set}player=1,MOV:A,N\nplayer=0,MOV:A,N\nplayer=1,MOV:A,S\n");
        let made = import(log.as_bytes()).unwrap();
        assert!(!made.is_unfinished);
        let record = String::from_utf8(made.bytes.clone()).unwrap();
        assert!(
            record.contains(r#""kinds":["normal","illegal"]"#),
            "{record}"
        );
        assert_eq!(log_of(&made.bytes), log);
        let made = import(format!("{set}player=0,MOV:A,N\n").as_bytes()).unwrap();
        assert!(made.is_unfinished);
    }

    #[test]
    fn what_is_damaged_or_lacks_the_colours_is_refused() {
        let set = "player=0,SET:ABCD\nplayer=1,SET:EFGH\n";
        for (text, line, reason) in [
            ("player=0,SET:ABCD\n", 0, "without the colours"),
            (
                &format!("{set}player=0,MOV:A,Q\nplayer=1,MOV:A,N\n"),
                3,
                "not a direction",
            ),
            (
                &format!("{set}player=0,MOV:A,N\nwinner=0\n"),
                4,
                "no such winner",
            ),
            (&format!("{set}player=2,MOV:A,N\n"), 3, "lines are such as"),
            (
                &format!("{set}player=0,MOV:A,N\n\u{1}\n"),
                4,
                "lines are such as",
            ),
        ] {
            let wrong = import(text.as_bytes()).unwrap_err();
            assert_eq!(wrong.line, line, "{wrong}");
            assert!(wrong.reason.contains(reason), "{wrong}");
        }
    }
}
