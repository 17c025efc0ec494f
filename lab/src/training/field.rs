//! The field: what players do of whom nothing is known yet. Policies learn it from the records of matches among many programs, one
//! for each kind of player.
//!
//! Such a policy foresees the moves of a program that was not among them better than the engine's own, and learns sooner what
//! that program does.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::path::Path;

use bots::daihinmin::{DaihinminNetworks, INPUTS, InformationState, MoveLesson, Mover};
use bots::learning::{Network, bytes_of};
use games::daihinmin::SessionRules;
use record::{DaihinminGame, ReadError, RecordReader, Replay, What};

use super::{Model, Passes, Trainer};

/// Inverse temperature at which the policies begin. The shipped policy is so sure of itself that it gives moves of other programs
/// a chance of 1e-2 and less; at this temperature it foresees such moves best.
const FIRST_SHARPNESS: f32 = 0.25;
/// Games with a number that this divides are held out.
const HELD_OUT: u32 = 20;

#[derive(Clone, Copy, Debug, Default)]
pub struct Foresight {
    pub decisions: u64,
    /// Mean of minus the logarithm of the chance that was given to the move, in nats.
    pub nats: f64,
    /// Share of the moves that were the likeliest, 0 to 1.
    pub hits: f64,
}

impl Foresight {
    fn of(policy: &Network<INPUTS>, lessons: &[MoveLesson]) -> Foresight {
        let (mut sum, mut logs) = (Foresight::default(), Vec::new());
        for lesson in lessons {
            let (log, is_hit) = lesson.foresee(policy, &mut logs);
            sum.decisions += 1;
            sum.nats -= f64::from(log);
            sum.hits += f64::from(u8::from(is_hit));
        }
        sum.nats /= sum.decisions as f64;
        sum.hits /= sum.decisions as f64;
        sum
    }
}

#[derive(Debug)]
struct FieldPolicy(Network<INPUTS>);

impl Model for FieldPolicy {
    type Lesson = MoveLesson;

    fn zero(&self) -> Self {
        FieldPolicy(Network::zero())
    }

    fn parts(&mut self) -> Vec<&mut [f32]> {
        vec![self.0.numbers_mut()]
    }

    fn add_slopes(&self, lesson: &MoveLesson, slopes: &mut Self) -> f64 {
        -f64::from(lesson.add_slopes(&self.0, &mut slopes.0, &mut Vec::new()))
    }
}

/// Players that are taken for one kind, and the policy that learns what they do.
#[derive(Debug)]
struct PlayerGroup {
    names: Vec<String>,
    trainer: Trainer<FieldPolicy>,
    lessons: Vec<u32>,
}

/// Policies that learn from recorded games: one of all players, and one for each kind of player.
#[derive(Debug)]
pub struct Field {
    all: PlayerGroup,
    kinds: Vec<PlayerGroup>,
    lessons: Vec<MoveLesson>,
    held_out: BTreeMap<String, Vec<MoveLesson>>,
    players: BTreeSet<String>,
    games: u32,
}

impl Field {
    /// With the names of the players of each kind.
    pub fn new(kinds: Vec<Vec<String>>) -> Field {
        let mut networks = DaihinminNetworks::built_in();
        networks.policy.scale(FIRST_SHARPNESS);
        let kind = |names| PlayerGroup {
            names,
            trainer: Trainer::new(FieldPolicy(networks.policy.clone())),
            lessons: Vec::new(),
        };
        Field {
            all: kind(Vec::new()),
            kinds: kinds.into_iter().map(kind).collect(),
            lessons: Vec::new(),
            held_out: BTreeMap::new(),
            players: BTreeSet::new(),
            games: 0,
        }
    }

    /// Adds the decisions of a record; those of every twentieth game are held out.
    ///
    /// # Errors
    /// The first line that cannot be read, or does not follow from those before it.
    pub fn read(&mut self, path: &Path) -> Result<(), ReadError> {
        let mut reader = RecordReader::open(path)?;
        let rules: SessionRules = Replay::<DaihinminGame>::rules(reader.header())
            .map_err(|reason| reader.error(reason))?;
        let players = reader.header().players.clone();
        self.players.extend(players.iter().map(|p| p.name.clone()));
        let networks = DaihinminNetworks::built_in();
        let mut mover = Mover::new(&networks, 1.0);
        let mut game: Option<Replay<DaihinminGame>> = None;
        while let Some(event) = reader.next() {
            let what = event?.what;
            if let Some(next) = Replay::begin(&what, &rules).map_err(|e| reader.error(e))? {
                game = Some(next);
                self.games += 1;
                continue;
            }
            let Some(game) = &mut game else {
                continue;
            };
            if let What::Move {
                player,
                mv,
                fault: None,
                spent: None,
                ..
            } = &what
                && game.game.lost.is_empty()
                && let Some(player) = players.get(usize::from(*player))
                && let Ok(meld) = mv.parse()
            {
                let known =
                    InformationState::in_position(&game.game.position, game.game.seat_ranks());
                if let Some(lesson) = MoveLesson::of(&mut mover, &known, meld) {
                    if self.games.is_multiple_of(HELD_OUT) {
                        let of = self.held_out.entry(player.name.clone());
                        of.or_default().push(lesson);
                    } else {
                        let number = self.lessons.len() as u32;
                        let is_of = |kind: &&mut PlayerGroup| kind.names.contains(&player.name);
                        for kind in self.kinds.iter_mut().filter(is_of) {
                            kind.lessons.push(number);
                        }
                        self.all.lessons.push(number);
                        self.lessons.push(lesson);
                    }
                }
            }
            game.apply(&what).map_err(|e| reader.error(e))?;
        }
        Ok(())
    }

    pub fn games(&self) -> u32 {
        self.games
    }

    /// Names of kinds that no player of the records has.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        let names = self.kinds.iter().flat_map(|kind| &kind.names);
        let unknown = names.filter(|&name| !self.players.contains(name));
        unknown.map(String::as_str)
    }

    /// All policies, that of all players first.
    fn each(&self) -> impl Iterator<Item = &PlayerGroup> {
        iter::once(&self.all).chain(&self.kinds)
    }

    fn each_mut(&mut self) -> impl Iterator<Item = &mut PlayerGroup> {
        iter::once(&mut self.all).chain(&mut self.kinds)
    }

    /// Decisions to learn from: of all players, then by kind.
    pub fn decisions(&self) -> Vec<usize> {
        self.each().map(|kind| kind.lessons.len()).collect()
    }

    /// Learns. After each step `progress` gets the number of steps done, that of all steps, and the mean recent loss.
    pub fn learn(&mut self, plan: &Passes, mut progress: impl FnMut(u64, u64, f64)) {
        let lessons = std::mem::take(&mut self.lessons);
        let steps_of = |kind: &PlayerGroup| plan.steps(kind.lessons.len());
        let all = self.each().map(steps_of).sum();
        let mut begun = 0;
        for kind in self.each_mut() {
            let mut of_kind: Vec<&MoveLesson> = (kind.lessons.iter())
                .map(|&number| &lessons[number as usize])
                .collect();
            let progress = |done, _, loss| progress(begun + done, all, loss);
            (kind.trainer).train(&mut of_kind, plan, |_, _| (), progress);
            begun += steps_of(kind);
        }
        self.lessons = lessons;
    }

    /// How well the policy of all players and that of each kind foresee the decisions that are held out, by the name of the player.
    pub fn foresight(&self) -> Vec<(&str, Vec<Foresight>)> {
        let players = self.held_out.iter().map(|(name, lessons)| {
            let of = |kind: &PlayerGroup| Foresight::of(&kind.trainer.model.0, lessons);
            (name.as_str(), self.each().map(of).collect())
        });
        players.collect()
    }

    /// The policies, one after the other: little-endian 16-bit numbers in steps of 1/4096.
    pub fn to_bytes(&self) -> Vec<u8> {
        let policies = self.each().map(|kind| &kind.trainer.model.0);
        policies
            .flat_map(|policy| bytes_of(policy.numbers()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use games::GameName;
    use games::daihinmin::{Dealer, Session, View};
    use record::{EndKind, Header, Player, RecordWriter};

    use super::*;
    use bots::daihinmin::{DefaultEngine, Engine as _, weakest};

    /// Writes a record of rule bots, of which one is called `odd` and the others `even`.
    fn record_rule_bots(path: &Path, games: u32) {
        let rules = SessionRules::default();
        let mut session = Session::new(rules, Dealer::plain(3));
        let player = |at| Player {
            name: if at == 2 { "odd" } else { "even" }.to_owned(),
            ..Player::default()
        };
        let header = Header::new(
            GameName::Daihinmin,
            "m",
            "uecda",
            (0..5).map(player).collect(),
            games,
        );
        let file = std::fs::File::create(path).expect("a file");
        let mut writer = RecordWriter::new(file, &header.with_rules(&rules)).expect("a header");
        let mut tell = |what: What| writer.event(&what.at(0)).expect("written");
        for game in 1..=games {
            let mut deal = session.deal();
            tell(What::begin(&deal));
            What::tributes(&deal).into_iter().for_each(&mut tell);
            for (rich, poor) in [(0, 4), (1, 3)] {
                if deal.ranked {
                    let [from, to] = [rich, poor].map(|rank| deal.seat_of_rank(rank));
                    let owed = deal.owes[usize::from(from)];
                    let gift = weakest(deal.hands[usize::from(from)], owed);
                    let cards = deal.give(from, gift);
                    let [from, to] = [from, to].map(|seat| deal.player_at[usize::from(seat)]);
                    tell(What::give(from, to, cards));
                }
            }
            let mut position = deal.start();
            while !position.table.is_over() && !position.table.is_stalled() {
                let turn = position.table.turn;
                let meld = DefaultEngine.choose(&View::at_start(&position, turn), None);
                tell(What::play(deal.player_at[usize::from(turn)], meld));
                position.play_unchecked(meld);
            }
            session.finish(position.table.places);
            let places = session.places();
            // The last game has no end.
            if game < games && position.table.is_over() {
                tell(What::End {
                    game,
                    places: places.to_vec(),
                    points: places.iter().map(|&p| 5.0 - f64::from(p)).collect(),
                    game_points: Vec::new(),
                    kinds: vec![EndKind::Normal; 5],
                    rule: None,
                });
            }
        }
    }

    #[test]
    fn a_kind_learns_from_its_players_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("r.jsonl");
        record_rule_bots(&path, 60);
        let mut field = Field::new(vec![vec!["odd".to_owned()], vec!["none".to_owned()]]);
        field.read(&path).expect("a record");
        assert_eq!(field.games(), 60);
        let decisions = field.decisions();
        assert!(
            decisions[0] > 4 * decisions[1] && decisions[1] > 0,
            "{decisions:?}"
        );
        assert_eq!(decisions[2], 0);
        assert_eq!(field.unknown().collect::<Vec<_>>(), ["none"]);
        let plan = Passes {
            passes: 6,
            batch: 32,
            rate: 0.001,
            seed: 1,
        };
        let mut steps = Vec::new();
        field.learn(&plan, |done, all, _| steps.push((done, all)));
        assert_eq!(steps.len() as u64, steps[0].1);
        let bytes = field.to_bytes();
        let foresight = field.foresight();
        let names: Vec<_> = foresight.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["even", "odd"]);
        for (name, by_kind) in &foresight {
            let [all, odd, none] = by_kind[..] else {
                panic!("{by_kind:?}");
            };
            assert!(
                all.decisions > 0 && all.hits > none.hits,
                "{name} {by_kind:?}"
            );
            assert!(
                all.nats < 0.7 * none.nats && odd.nats < none.nats,
                "{name} {by_kind:?}"
            );
        }
        let kinds = DaihinminNetworks::field_of(&bytes).expect("a field");
        assert_eq!(kinds.len(), 3);
        for bad in [&bytes[..bytes.len() - 2], &[], &bytes.repeat(6)] {
            let error = DaihinminNetworks::field_of(bad).expect_err("refused");
            assert!(error.contains("policies of"), "{error}");
        }
    }

    #[test]
    fn a_record_of_another_game_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("g.jsonl");
        let header = Header::new(GameName::Geister, "m", "gat", Vec::new(), 1);
        RecordWriter::new(std::fs::File::create(&path).expect("a file"), &header)
            .expect("a header");
        let error = Field::new(Vec::new()).read(&path).expect_err("refused");
        assert!(
            error.to_string().contains("g.jsonl:1: this is a record of"),
            "{error}"
        );
    }
}
