//! What the players of a record of Daihinmin did.

use std::io::Write;
use std::path::PathBuf;

use games::GameName;
use games::daihinmin::{Meld, MeldKind, Position, SEATS};
use program::Failure;
use record::{DaihinminGame, Player, Record, Replay, What};
use serde::Serialize;
use serde_json::json;

use super::follow;
use crate::grid::Grid;

const HEAD: [&str; 17] = [
    "player",
    "games",
    "points",
    "daifugo",
    "fugo",
    "heimin",
    "hinmin",
    "daihinmin",
    "turns",
    "melds",
    "locks",
    "groups",
    "sequences",
    "revolutions",
    "8 cuts",
    "joker",
    "S3",
];

/// What a player did, in all its games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
struct Deeds {
    games: u32,
    points: u64,
    placings: [u32; SEATS],
    turns: u32,
    melds: u32,
    locks: u32,
    /// Turns at which a group was legal, and those at which one was played.
    group_chances: u32,
    groups: u32,
    sequence_chances: u32,
    sequences: u32,
    /// Melds that turned the order of ranks over.
    revolutions: u32,
    /// Melds with an 8 that ended the trick, and the sum of the own turns at which they were played.
    eight_cuts: u32,
    eight_turns: u32,
    jokers: u32,
    joker_turns: u32,
    /// Spade 3s played on the joker.
    spade_3s: u32,
}

impl Deeds {
    fn cells(&self, name: &str) -> [String; HEAD.len()] {
        let mean = |sum: u32, of: u32| f64::from(sum) / f64::from(of.max(1));
        let a_game = |count| format!("{:.2}", mean(count, self.games));
        let of_chances = |done, chances| match chances {
            0 => "-".to_owned(),
            _ => format!("{:.0} %", 100.0 * mean(done, chances)),
        };
        let at_turn = |count, turns| match count {
            0 => a_game(count),
            _ => format!("{} (at turn {:.1})", a_game(count), mean(turns, count)),
        };
        let [daifugo, fugo, heimin, hinmin, daihinmin] =
            self.placings.map(|games| games.to_string());
        [
            name.to_owned(),
            self.games.to_string(),
            self.points.to_string(),
            daifugo,
            fugo,
            heimin,
            hinmin,
            daihinmin,
            self.turns.to_string(),
            a_game(self.melds),
            a_game(self.locks),
            of_chances(self.groups, self.group_chances),
            of_chances(self.sequences, self.sequence_chances),
            a_game(self.revolutions),
            at_turn(self.eight_cuts, self.eight_turns),
            at_turn(self.jokers, self.joker_turns),
            a_game(self.spade_3s),
        ]
    }
}

#[derive(Default)]
struct Statistics {
    /// By name, in the order in which the records have them.
    deeds: Vec<(String, Deeds)>,
    /// Which of these each player of the record in hand is.
    numbers: Vec<usize>,
    before: Option<Position>,
    /// Own turns of each player in the game.
    turns: [u32; SEATS],
    legal: Vec<Meld>,
}

impl Statistics {
    fn players(&mut self, players: &[Player]) {
        let number = |player: &Player| {
            let known = self.deeds.iter().position(|(name, _)| *name == player.name);
            known.unwrap_or_else(|| {
                self.deeds.push((player.name.clone(), Deeds::default()));
                self.deeds.len() - 1
            })
        };
        self.numbers = players.iter().map(number).collect();
        self.before = None;
    }

    fn see(&mut self, replay: &Replay<DaihinminGame>, what: &What) {
        match what {
            What::Begin { .. } => self.turns = [0; SEATS],
            What::Move { player, mv, .. } => {
                if let (Some(before), Ok(meld)) = (self.before.take(), mv.parse()) {
                    self.count(usize::from(*player), &before, meld);
                }
            }
            What::End { places, points, .. } => {
                for ((&number, &place), points) in self.numbers.iter().zip(places).zip(points) {
                    let deeds = &mut self.deeds[number].1;
                    deeds.games += 1;
                    deeds.points += *points as u64;
                    if let Some(games) = deeds.placings.get_mut(usize::from(place)) {
                        *games += 1;
                    }
                }
            }
            _ => {}
        }
        self.before = Some(replay.game.position);
    }

    fn count(&mut self, player: usize, before: &Position, meld: Meld) {
        let Some(&number) = self.numbers.get(player) else {
            return;
        };
        let deeds = &mut self.deeds[number].1;
        deeds.turns += 1;
        self.turns[player] += 1;
        let turn = self.turns[player];
        self.legal.clear();
        before.legal_moves(&mut self.legal);
        let can = |kind| self.legal.iter().any(|meld| meld.kind() == kind);
        deeds.group_chances += u32::from(can(MeldKind::Group));
        deeds.sequence_chances += u32::from(can(MeldKind::Sequence));
        if meld.is_pass() {
            return;
        }
        let mut laid = before.table;
        laid.lay(meld, false);
        deeds.melds += 1;
        deeds.locks += u32::from(laid.lock && !before.table.lock);
        deeds.groups += u32::from(meld.kind() == MeldKind::Group);
        deeds.sequences += u32::from(meld.kind() == MeldKind::Sequence);
        deeds.revolutions += u32::from(laid.revolution != before.table.revolution);
        if meld.cuts() && laid.rules.eight_cut {
            deeds.eight_cuts += 1;
            deeds.eight_turns += turn;
        }
        if meld.cards().has_joker() {
            deeds.jokers += 1;
            deeds.joker_turns += turn;
        }
        deeds.spade_3s += u32::from(meld.is_spade_3() && before.table.field.is_lone_joker());
    }
}

/// Prints the statistics of records, all in one.
pub(super) fn print(files: &[PathBuf], json: bool, output: &mut dyn Write) -> Result<(), Failure> {
    let mut statistics = Statistics::default();
    for file in files {
        let record = Record::open(file)?;
        if record.header.game != GameName::Daihinmin {
            let game = record.header.game;
            return Err(Failure::usage(format_args!(
                "there are statistics of daihinmin only, and the record is of {game}"
            )));
        }
        statistics.players(&record.header.players);
        follow(&record, file, |replay, what| {
            statistics.see(replay, what);
            Ok(())
        })?;
    }
    let deeds = &statistics.deeds;
    if json {
        for (name, deeds) in deeds {
            let mut line = json!(deeds);
            line["name"] = json!(name);
            writeln!(output, "{line}")?;
        }
        return Ok(());
    }
    let mut table = Grid::new(&HEAD);
    table.left[0] = true;
    for (name, deeds) in deeds {
        table.row(deeds.cells(name));
    }
    write!(output, "{}", table.text())?;
    writeln!(
        output,
        "a game, but: points, places and turns in all; groups and sequences of the turns at which one was legal; (at turn N) the mean of the own turns"
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use games::daihinmin::SessionRules;
    use record::{EndKind, Header};

    use super::super::{ReplayArgs, show};
    use super::*;

    /// A game of a lock, a joker under a spade 3, an 8, a revolution and a sequence.
    fn record() -> String {
        let players = ["ana", "bo", "ci", "di", "eve"].map(|name| Player {
            name: name.to_owned(),
            client: None,
        });
        let header = Header::new(GameName::Daihinmin, "m", "uecda", players.to_vec(), 1);
        let hands = ["D3H9", "D5C6", "CQJ3", "S3D8S4H4D4C4", "S5S6S7"];
        let moves = "0 D3,1 D5,2 Kx,3 S3,3 D8,3 S4H4D4C4,4 pass,0 pass,1 pass,2 pass,4 S5S6S7,0 pass,1 pass,2 pass,\
                     0 H9,1 C6";
        let mut events = vec![What::Begin {
            game: 1,
            seats: vec![0, 1, 2, 3, 4],
            ranks: None,
            hands: hands.map(str::to_owned).to_vec(),
            position: None,
        }];
        events.extend(moves.split(',').map(|played| {
            let (player, mv) = played.split_once(' ').unwrap();
            What::play(player.parse().unwrap(), mv)
        }));
        events.push(What::End {
            game: 1,
            places: vec![2, 3, 4, 0, 1],
            points: vec![3.0, 2.0, 1.0, 5.0, 4.0],
            game_points: Vec::new(),
            kinds: vec![EndKind::Normal; 5],
            rule: None,
        });
        let mut text = json!(header.with_rules(&SessionRules::default())).to_string();
        for what in events {
            text = text + "\n" + &json!(what.at(0)).to_string();
        }
        text + "\n"
    }

    fn shown(json: bool) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.jsonl");
        std::fs::write(&path, record()).unwrap();
        shown_of(vec![path], json)
    }

    fn shown_of(records: Vec<PathBuf>, json: bool) -> String {
        let args = ReplayArgs {
            records,
            game: None,
            all: false,
            json,
            sheet: false,
            statistics: true,
            official_log: None,
            check: false,
        };
        let mut output = Vec::new();
        show(&args, false, &mut std::io::empty(), &mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn what_each_player_did_is_counted() {
        let lines: Vec<serde_json::Value> = shown(true)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let count = |line: &serde_json::Value, name: &str| line[name].as_u64().unwrap();
        let of = |name: &str| {
            lines
                .iter()
                .map(|line| count(line, name))
                .collect::<Vec<_>>()
        };
        assert_eq!(lines[3]["name"], "di");
        assert_eq!(of("games"), [1; 5]);
        assert_eq!(of("turns"), [4, 4, 3, 3, 2]);
        assert_eq!(of("melds"), [2, 2, 1, 3, 1]);
        assert_eq!(of("locks"), [0, 1, 0, 0, 0]);
        assert_eq!(of("groups"), [0, 0, 0, 1, 0]);
        assert_eq!(of("sequences"), [0, 0, 0, 0, 1]);
        assert_eq!(of("sequence_chances"), [0, 0, 0, 0, 1]);
        assert_eq!(of("revolutions"), [0, 0, 0, 1, 0]);
        assert_eq!(
            (of("eight_cuts"), of("eight_turns")),
            (vec![0, 0, 0, 1, 0], vec![0, 0, 0, 2, 0])
        );
        assert_eq!(
            (of("jokers"), of("joker_turns")),
            (vec![0, 0, 1, 0, 0], vec![0, 0, 1, 0, 0])
        );
        assert_eq!(of("spade_3s"), [0, 0, 0, 1, 0]);
        // Before the S3 no group was legal, then twice.
        assert_eq!(of("group_chances")[3], 2);
        assert_eq!(of("points"), [3, 2, 1, 5, 4]);
        let table = shown(false);
        assert!(table.contains("1.00 (at turn 2.0)"), "{table}");
    }

    #[test]
    fn the_records_of_a_contest_are_counted_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("1.jsonl", &record());
        // Bo and di have changed places, and fay is there for ana.
        let other = record()
            .replace("\"bo\"", "\"x\"")
            .replace("\"di\"", "\"bo\"");
        write(
            "2.jsonl",
            &other
                .replace("\"x\"", "\"di\"")
                .replace("\"ana\"", "\"fay\""),
        );
        let text = shown_of(vec![folder.path().to_owned()], true);
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let lines: Vec<serde_json::Value> = lines.collect();
        let of = |name: &str| lines.iter().find(|line| line["name"] == name).unwrap();
        assert_eq!(lines.len(), 6);
        assert_eq!(
            (&of("bo")["games"], &of("bo")["points"]),
            (&json!(2), &json!(7))
        );
        assert_eq!(of("bo")["placings"], json!([1, 0, 0, 1, 0]));
        assert_eq!(of("bo")["turns"], 7);
        assert_eq!(
            (&of("ana")["games"], &of("fay")["games"]),
            (&json!(1), &json!(1))
        );
        let table = shown_of(vec![folder.path().to_owned()], false);
        assert!(
            table.contains("daifugo  fugo  heimin  hinmin  daihinmin"),
            "{table}"
        );
    }
}
