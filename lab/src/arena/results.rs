//! What a match came to.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::Duration;

use bots::search::Usage;
use games::{GameName, count_of, count_of_games};
use serde_json::{Map, Value, json};
use stats::{Block, Elo, Mean, Plan, Score, Standing, ratings, standings};

use super::Played;

/// Most moves of a seat and longest time of one: sums of them do not overflow.
const MOST_MOVES: u32 = 100_000;
const LONGEST: Duration = Duration::from_hours(30 * 24);

/// The results of a match that goes on or is over.
#[derive(Clone, Debug)]
pub struct Results {
    game: GameName,
    names: Vec<String>,
    sittings_of_block: u64,
    sittings: Vec<Option<Vec<Played>>>,
}

/// The longer side of an interval behind a figure; blanks for none.
fn half(half_width: f64, width: usize, places: usize) -> String {
    if half_width.is_finite() {
        format!(" ± {half_width:<width$.places$}")
    } else {
        " ".repeat(width + 3)
    }
}

/// A share of all that there is, with the ends of its interval, if it has one.
fn share(mean: &Mean, places: usize) -> String {
    let interval = mean.ends().map_or_else(String::new, |[low, high]| {
        format!(" {low:.places$}-{high:.places$}")
    });
    format!("{:.places$}{interval}", mean.mean)
}

impl Results {
    /// Those of a match of `blocks` blocks, with the entrants' names.
    pub fn new(game: GameName, names: Vec<String>, blocks: u64, sittings_of_block: u64) -> Results {
        let sittings = blocks * sittings_of_block;
        Results {
            game,
            names,
            sittings_of_block,
            sittings: (0..sittings).map(|_| None).collect(),
        }
    }

    /// Adds the games of a sitting, counted through all blocks.
    pub fn add(&mut self, number: u64, played: Vec<Played>) {
        self.sittings[number as usize] = Some(played);
    }

    pub(super) fn missing(&self) -> impl Iterator<Item = u64> {
        let numbered = self.sittings.iter().enumerate();
        numbered.filter_map(|(number, played)| played.is_none().then_some(number as u64))
    }

    /// Whether games from elsewhere can be those of a sitting of this match.
    pub(super) fn fit(&self, games: &[Played]) -> bool {
        let seats = self.games().next().map(|game| game.usage.len());
        fit(games, self.names.len(), seats)
    }

    pub fn games(&self) -> impl Iterator<Item = &Played> {
        self.sittings.iter().flatten().flatten()
    }

    /// The games of a block, once all of its sittings are over.
    pub fn block(&self, number: u64) -> Option<Vec<&Played>> {
        let sittings = self.sittings_of_block as usize;
        let first = (number as usize).checked_mul(sittings)?;
        let block = self.sittings.get(first..first.checked_add(sittings)?)?;
        let is_whole = block.iter().all(Option::is_some);
        is_whole.then(|| block.iter().flatten().flatten().collect())
    }

    pub fn blocks(&self) -> Vec<Block> {
        let sittings = self.sittings.chunks(self.sittings_of_block as usize);
        let whole = sittings.filter(|block| block.iter().all(Option::is_some));
        whole
            .map(|block| {
                let games = block.iter().flatten().flatten();
                games.map(|played| played.outcome.clone()).collect()
            })
            .collect()
    }

    /// Whole blocks all of whose games are those of an earlier block, as far as engines tell how games end. They are no
    /// news, and make intervals too narrow.
    pub fn repeats(&self) -> usize {
        let sittings = self.sittings.chunks(self.sittings_of_block as usize);
        let whole = sittings.filter(|block| block.iter().all(Option::is_some));
        let mut known = HashSet::new();
        let mut is_known = |block: &[Option<Vec<Played>>]| {
            let games = block.iter().flatten().flatten();
            let games: Vec<_> = games
                .map(|game| (game.end, game.plies, game.outcome.entrants.clone()))
                .collect();
            games.iter().all(|(end, ..)| *end != 0) && !known.insert(games)
        };
        whole.filter(|block| is_known(block)).count()
    }

    /// What is to be said of blocks that repeat others, if there are any.
    fn warning(&self) -> Option<String> {
        let repeats = self.repeats();
        (repeats > 0).then(|| {
            let advice = if self.game.is_open() {
                ": raise --random-plies"
            } else {
                ""
            };
            format!(
                "{repeats} of {} blocks repeat the games of an earlier one, so intervals are too narrow{advice}",
                self.blocks().len()
            )
        })
    }

    /// Sittings that are over, and all of them.
    pub fn sittings(&self) -> (u64, u64) {
        let done = self.sittings.iter().flatten().count();
        (done as u64, self.sittings.len() as u64)
    }

    pub fn score(&self) -> Score {
        Score::of(0, &self.blocks())
    }

    /// The probability that the first of two entrants is stronger, as in the reports of leagues.
    fn superior(&self) -> Option<f64> {
        ratings(2, &self.blocks(), Plan::default()).superior[0][1]
    }

    pub fn scores(&self) -> Vec<f64> {
        let standings = standings(self.names.len(), &self.blocks());
        standings
            .iter()
            .map(|standing| standing.score.mean)
            .collect()
    }

    pub fn plies(&self) -> f64 {
        let (games, plies) = self.games().fold((0.0, 0.0), |(games, plies), played| {
            (games + 1.0, plies + f64::from(played.plies))
        });
        plies / f64::max(games, 1.0)
    }

    fn seats(&self) -> usize {
        self.games().next().map_or(0, |game| game.usage.len())
    }

    fn is_for_two(&self) -> bool {
        self.seats() == 2 && self.names.len() == 2
    }

    fn seats_of(&self, entrant: usize) -> impl Iterator<Item = (&Played, usize)> {
        self.games().flat_map(move |game| {
            let seats = game.outcome.entrants.iter().enumerate();
            let own = seats.filter(move |&(_, &seated)| seated == entrant);
            own.map(move |(seat, _)| (game, seat))
        })
    }

    pub fn usage(&self, entrant: usize) -> Usage {
        let mut usage = Usage::default();
        for (game, seat) in self.seats_of(entrant) {
            usage.add(&game.usage[seat]);
        }
        usage
    }

    /// Games so far and what the entrants have of them.
    pub fn progress(&self) -> String {
        let games = self.games().count();
        let mut line = count_of_games(games as u64);
        for (i, name) in self.names.iter().enumerate() {
            let (mut sum, mut seats) = (0.0, 0.0);
            for (game, seat) in self.seats_of(i) {
                sum += game.outcome.score(seat);
                seats += 1.0;
            }
            let _ = write!(line, ", {name} {:.3}", sum / f64::max(seats, 1.0));
        }
        line
    }

    /// The entrant's share of the wins of a game, by block: the sum over its seats.
    fn win_share(entrant: usize, blocks: &[Block]) -> Mean {
        let share = |block: &Block| {
            let mut sum = 0.0;
            for game in &block.games {
                let seats = game.entrants.iter().enumerate();
                let own = seats.filter(|&(_, &seated)| seated == entrant);
                sum += own.map(|(seat, _)| game.win_share(seat)).sum::<f64>();
            }
            (sum, block.games.len() as f64)
        };
        Mean::ratio(blocks.iter().map(share), [0.0, 1.0])
    }

    fn margin(blocks: &[Block]) -> Mean {
        let games = blocks.iter().flat_map(|block| &block.games);
        let points = games.flat_map(|game| game.points.iter().copied());
        let [least, most] = points.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], p| {
            [least.min(p), most.max(p)]
        });
        Mean::of(Results::margins(blocks), [least - most, most - least])
    }

    /// By block the points of a seat of the first entrant over those of a seat of the others: luck that all share
    /// cancels.
    fn margins(blocks: &[Block]) -> Vec<f64> {
        let margin = |block: &Block| {
            let own = block.mean_of(0, |game, seat| game.points[seat])?;
            let (mut sum, mut seats) = (0.0, 0.0);
            for game in &block.games {
                for (&points, _) in game.points.iter().zip(&game.entrants).filter(|s| *s.1 != 0) {
                    sum += points;
                    seats += 1.0;
                }
            }
            (seats > 0.0).then(|| own - sum / seats)
        };
        blocks.iter().filter_map(margin).collect()
    }

    fn figures(&self, entrant: usize, standing: &Standing, blocks: &[Block]) -> Value {
        let usage = self.usage(entrant);
        let moves = f64::from(usage.moves.max(1));
        let seats = self.seats();
        let mut places = vec![0_u64; seats];
        let mut by_seat = vec![(0.0, 0.0); seats];
        for (game, seat) in self.seats_of(entrant) {
            places[usize::from(game.outcome.places[seat])] += 1;
            by_seat[seat].0 += game.outcome.win_share(seat);
            by_seat[seat].1 += 1.0;
        }
        // In some matches an engine never takes a seat.
        let by_seat = by_seat
            .iter()
            .map(|(sum, count)| (*count > 0.0).then(|| sum / count));
        let win_share = Results::win_share(entrant, blocks);
        let all = self.games().count() * seats;
        json!({
            "engine": self.names[entrant],
            "seats": self.seats_of(entrant).count(),
            "score": standing.score.mean,
            "score_interval": standing.score.half_width(),
            "win_share": win_share.mean,
            "win_share_interval": win_share.half_width(),
            "chance": self.seats_of(entrant).count() as f64 / all.max(1) as f64,
            "win_share_by_seat": by_seat.collect::<Vec<_>>(),
            "mean_rank": standing.place.mean,
            "mean_rank_interval": standing.place.half_width(),
            "mean_points": standing.points.mean,
            "mean_points_interval": standing.points.half_width(),
            "places": places,
            "ms_per_move": usage.time.as_secs_f64() * 1000.0 / moves,
            "longest_ms": usage.longest.as_secs_f64() * 1000.0,
            "work_per_move": usage.work as f64 / moves,
            "work_per_second": usage.work as f64 / usage.time.as_secs_f64().max(1e-9),
            "moves": usage.moves,
            "depth": usage.depth / moves,
        })
    }

    fn entrants(&self, blocks: &[Block]) -> Vec<Value> {
        let standings = standings(self.names.len(), blocks);
        let figures = standings.iter().enumerate();
        figures
            .map(|(entrant, standing)| self.figures(entrant, standing, blocks))
            .collect()
    }

    /// All figures. Those of a game for two say also what the first entrant has, with the longer side of the 95 %
    /// interval of its score as `interval`.
    pub fn json(&self) -> Value {
        let blocks = self.blocks();
        let mut all = Map::new();
        let mut put = |key: &str, value: Value| {
            all.insert(key.to_owned(), value);
        };
        put("game", json!(self.game));
        put("games", json!(self.games().count()));
        put("blocks", json!(blocks.len()));
        put("block", json!(blocks.first().map_or(0, |b| b.games.len())));
        put("repeats", json!(self.repeats()));
        put("plies", json!(self.plies()));
        if self.is_for_two() {
            let score = self.score();
            put("wins", json!(score.wins));
            put("draws", json!(score.draws));
            put("losses", json!(score.losses));
            put("score", json!(score.score.mean));
            put("interval", json!(score.score.half_width()));
            put("win_rate", json!(score.win_rate()));
            put("draw_rate", json!(score.draw_rate()));
        } else if self.names.len() > 1 {
            let margins = Results::margins(&blocks);
            let margin = Results::margin(&blocks);
            put("margin", json!(margin.mean));
            put("margin_interval", json!(margin.half_width()));
            put("block_margins", json!(margins));
        }
        put("entrants", json!(self.entrants(&blocks)));
        Value::Object(all)
    }

    pub fn text(&self) -> String {
        if self.is_for_two() {
            return self.sentence();
        }
        let blocks = self.blocks();
        let width = self
            .names
            .iter()
            .map(String::len)
            .max()
            .unwrap_or(0)
            .max(16);
        let entrants = self.entrants(&blocks);
        // An engine that does not count these has 0, and a column of zeros tells nothing.
        let counted = [
            ("work_per_move", "work", 8, 0),
            ("work_per_second", "work/s", 8, 0),
            ("depth", "depth", 5, 1),
        ];
        let is_counted = |key: &str| entrants.iter().any(|figures| figures[key] != 0.0);
        let counted = counted.iter().filter(|(key, ..)| is_counted(key));
        let mut text = format!(
            "{} in {} of {}, {:.1} plies\n{:<width$} {:<17} {:>6}  {:>12}  {:>15}  {:>8} {:>8} ",
            count_of_games(self.games().count() as u64),
            count_of(blocks.len() as u64, "block", "blocks"),
            blocks.first().map_or(0, |block| block.games.len()),
            self.plies(),
            "engine",
            "win share (95 %)",
            "chance",
            "mean rank",
            "points",
            "ms/move",
            "longest",
        );
        for (_, name, wide, _) in counted.clone() {
            let _ = write!(text, " {name:>wide$}");
        }
        text.push_str("  by seat\n");
        for (entrant, (name, figures)) in self.names.iter().zip(&entrants).enumerate() {
            let f = |key: &str| figures[key].as_f64().unwrap_or(f64::INFINITY);
            let _ = write!(
                text,
                "{:<width$} {:<17} {:>6.3}  {:.2}{}  {:>7.2}{}  {:>8.1} {:>8.1} ",
                name,
                share(&Results::win_share(entrant, &blocks), 3),
                f("chance"),
                f("mean_rank"),
                half(f("mean_rank_interval"), 5, 2),
                f("mean_points"),
                half(f("mean_points_interval"), 5, 2),
                f("ms_per_move"),
                f("longest_ms"),
            );
            for (key, _, wide, places) in counted.clone() {
                let _ = write!(text, " {:>wide$.places$}", f(key));
            }
            text.push_str("  ");
            let by_seat = figures["win_share_by_seat"].as_array();
            for share in by_seat.into_iter().flatten() {
                let share = share.as_f64();
                text += &share.map_or_else(|| "    –".to_owned(), |share| format!(" {share:.2}"));
            }
            text.push('\n');
        }
        if self.names.len() > 1 {
            let margin = Results::margin(&blocks);
            let _ = writeln!(
                text,
                "points of the first over the mean of the others: {:+.3}{}",
                margin.mean,
                half(margin.half_width(), 0, 3).trim_end()
            );
        }
        if blocks.len() == 1 {
            text.push_str("one block gives no interval: at least two are needed (raise --games)\n");
        }
        if let Some(warning) = self.warning() {
            let _ = writeln!(text, "{warning}");
        }
        text
    }

    fn sentence(&self) -> String {
        let score = self.score();
        let seat = |seat: usize| {
            let (mut points, mut games) = (0.0, 0.0);
            for (game, _) in self.seats_of(0).filter(|&(_, own)| own == seat) {
                points += game.outcome.points[seat];
                games += 1.0;
            }
            if games > 0.0 {
                format!("{:.3}", points / games)
            } else {
                "–".to_owned()
            }
        };
        let usage = [0, 1].map(|entrant| self.usage(entrant));
        let interval = match score.score.ends() {
            Some([low, high]) => format!("{low:.4} to {high:.4}"),
            None => "fewer than two blocks give no interval".to_owned(),
        };
        let mut text = format!(
            "A is {}, B is {}\nscore of A {:.4} ({interval}): {}, {}, {} in {}\n",
            self.names[0],
            self.names[1],
            score.score.mean,
            count_of(score.wins, "win", "wins"),
            count_of(score.draws, "draw", "draws"),
            count_of(score.losses, "loss", "losses"),
            count_of_games(score.games()),
        );
        if let Some(chance) = self.superior() {
            let elo = Elo::of(&score.score);
            // A score of 0 or 1 has no Elo, and no chance is a certainty.
            let text_of = |elo: f64| {
                if elo.is_finite() {
                    format!("{elo:+.0}")
                } else {
                    "–".to_owned()
                }
            };
            let [value, low, high] = [elo.value, elo.low, elo.high].map(text_of);
            let percent = (chance * 100.0).clamp(0.1, 99.9);
            let _ = writeln!(
                text,
                "Elo of A {value} ({low} to {high}): A is stronger than B with a chance of {percent:.1} %"
            );
        }
        let _ = writeln!(
            text,
            "by seat of A: first {}, second {}; {:.1} plies a game",
            seat(0),
            seat(1),
            self.plies(),
        );
        if usage.iter().all(|usage| usage.moves > 0) {
            let [a, b] = usage.map(|usage| {
                (
                    usage.time.as_secs_f64() / f64::from(usage.moves),
                    usage.longest.as_secs_f64(),
                )
            });
            let _ = writeln!(
                text,
                "seconds a move: A {:.4}, at most {:.3}; B {:.4}, at most {:.3}",
                a.0, a.1, b.0, b.1
            );
        }
        if let Some(warning) = self.warning() {
            let _ = writeln!(text, "{warning}");
        }
        text
    }
}

/// Whether the games of a sitting can be those of a match of so many entrants with so many seats, if they are known.
fn fit(games: &[Played], entrants: usize, seats: Option<usize>) -> bool {
    let Some(first) = games.first() else {
        return false;
    };
    let seats = seats.unwrap_or(first.usage.len());
    games.iter().all(|game| {
        let Played {
            outcome,
            usage,
            plies,
            // Any number may be a hash.
            end: _,
        } = game;
        (1..=8).contains(&seats)
            && *plies <= MOST_MOVES
            && [outcome.entrants.len(), outcome.places.len()] == [seats; 2]
            && [outcome.points.len(), usage.len()] == [seats; 2]
            && outcome.entrants.iter().all(|&entrant| entrant < entrants)
            && outcome
                .places
                .iter()
                .all(|&place| usize::from(place) < seats)
            && outcome.points.iter().all(|points| points.abs() <= 1e9)
            && usage.iter().all(|usage| {
                usage.moves <= MOST_MOVES
                    && usage.time.max(usage.longest) <= LONGEST
                    && usage.work <= 1 << 53
                    && usage.depth.abs() <= 1e9
            })
    })
}

#[cfg(test)]
mod tests {
    use stats::Outcome;

    use super::*;

    #[test]
    fn one_block_has_no_interval() {
        let names = vec!["a".to_owned(), "b".to_owned()];
        let mut results = Results::new(GameName::Blokus, names, 2, 2);
        for number in 0..4 {
            let played = Played {
                outcome: Outcome {
                    entrants: vec![0, 1, 0, 1],
                    places: vec![0, 1, 1, 1],
                    points: vec![0.0, -9.0, -9.0, -9.0],
                },
                plies: 70,
                usage: vec![Usage::default(); 4],
                end: 0,
            };
            results.add(number, vec![played]);
            let (text, json) = (results.text(), results.json());
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
            let interval = &json["entrants"][0]["win_share_interval"];
            assert_eq!(interval.is_null(), number < 3, "{interval}");
            assert_eq!(text.contains('±'), number == 3, "{text}");
            let says_so = text.contains("one block gives no interval: at least two");
            assert_eq!(says_so, number == 1 || number == 2, "{text}");
            // These engines count neither work nor depth.
            assert!(!text.contains("work") && !text.contains("depth"), "{text}");
        }
        let json = results.json();
        assert_eq!(json["entrants"][0]["win_share"], 1.0);
        assert_eq!(json["entrants"][1]["mean_rank"], 3.0);
        assert_eq!(json["entrants"][0]["chance"], 0.5);
        assert_eq!(json["margin"], 4.5);
    }

    #[test]
    fn blocks_of_the_same_games_are_told() {
        let names = vec!["a".to_owned(), "b".to_owned()];
        let mut results = Results::new(GameName::ScoreFour, names, 4, 2);
        // The third block is the first one again; the last one, whose engines tell no end, is not known to be.
        for (number, end) in ["x", "y", "x", "z", "x", "y", "", ""]
            .into_iter()
            .enumerate()
        {
            let entrants = [number % 2, 1 - number % 2];
            let played = Played::of_two(entrants, Some(0), 30, [Usage::default(); 2]);
            let played = if end.is_empty() {
                played
            } else {
                played.ending(&end)
            };
            results.add(number as u64, vec![played]);
        }
        assert_eq!(
            (results.repeats(), &results.json()["repeats"]),
            (1, &json!(1))
        );
        assert!(
            results
                .text()
                .contains("1 of 4 blocks repeat the games of an earlier one")
        );
    }

    #[test]
    fn games_for_two_have_a_score() {
        let names = vec!["a".to_owned(), "b".to_owned()];
        let mut results = Results::new(GameName::ScoreFour, names, 2, 2);
        for (number, winner) in [Some(0), Some(1), None, Some(0)].into_iter().enumerate() {
            let entrants = [number % 2, 1 - number % 2];
            let usage = [Usage::default(); 2];
            let played = Played::of_two(entrants, winner, 30, usage);
            results.add(number as u64, vec![played]);
        }
        // A won as first and as second, drew, and lost as second.
        let json = results.json();
        assert_eq!(
            [&json["wins"], &json["draws"], &json["losses"]],
            [&json!(2), &json!(1), &json!(1)]
        );
        assert_eq!(json["score"], 0.625);
        assert!(results.text().contains("first 0.750, second 0.500"));
        let text = results.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "A is a, B is b");
        assert!(lines.iter().all(|line| line.len() < 100), "{text}");
        let counts = "): 2 wins, 1 draw, 1 loss in 4 games";
        assert!(
            lines[1].starts_with("score of A 0.6250 (0.") && lines[1].ends_with(counts),
            "{text}"
        );
        // Two blocks of 1 and 0.25 tell little.
        let json = results.json();
        assert!(json["interval"].as_f64() > Some(0.3), "{json}");
        assert!(lines[2].starts_with("Elo of A +89 (-"), "{text}");
        let chance = results.superior().expect("two blocks");
        assert!((0.5..0.9).contains(&chance), "{chance}");
        let said = format!(
            "A is stronger than B with a chance of {:.1} %",
            chance * 100.0
        );
        assert!(lines[2].ends_with(&said), "{text}");
    }
}
