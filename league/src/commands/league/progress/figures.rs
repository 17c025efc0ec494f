//! What a league has come to so far.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use record::watch::{Entrant, Fixture, League};
use stats::{Plan, Rating, cross_table, ratings};

use super::groups::{GroupTables, cut, is_dear, rounded};
use crate::journal::Entry;
use crate::remote::{Presence, PresenceState};
use crate::result::{Results, number};
use crate::runner;
use crate::schedule::Key;
use crate::sections::Section;
use crate::settings::Settings;

/// Limits of a line to watchers, as `TOLD`: entrants of a cross table, pairings, bytes of the title. Of more matchups the
/// next ones are not looked for.
const CROSSED: usize = 24;
const PAIRED: usize = 8;
const MOST_TITLE: usize = 200;
const MOST_MATCHUPS: usize = 10_000;

/// Resamples for intervals while games are played: enough for two digits. The last ratings have those of the report.
const RESAMPLES: u32 = 100;

/// Games a minute are those of the last so many seconds.
const WINDOW: Duration = Duration::from_mins(1);

/// Entrants on a bar and in a line.
const BAR_ROWS: usize = 12;
/// Least width of a rating with its interval in these.
const RATING_WIDTH: usize = 11;
const LINE_NAMES: usize = 5;

pub(super) struct Figures {
    pub(super) results: Results,
    pub(super) total: Option<u64>,
    ratings: Vec<Rating>,
    /// When ratings were made last, and what that cost.
    rated: Option<(Instant, Duration)>,
    /// Whole blocks in these; `None` where they are no more those of the results.
    rated_blocks: Option<usize>,
    /// No more games come: the next ratings are those of the report.
    is_last: bool,
    pairs: Option<Pairs>,
    /// Whether those are there that come themselves, by name.
    presence: BTreeMap<String, PresenceState>,
    /// What only watchers of a league are told that is ranked by points.
    groups: Option<GroupTables>,
    /// Times, fixtures and games of the last minute.
    past: VecDeque<(Instant, u64, u64)>,
}

impl Figures {
    /// Those of a league; also what watchers are told, if there may be any.
    pub(super) fn new(results: Results, is_watched: bool) -> Figures {
        let settings = &results.head.settings;
        let matchups = runner::matchups(settings).filter(|all| all.len() <= MOST_MATCHUPS);
        Figures {
            total: results.scheduled(),
            ratings: Vec::new(),
            rated: None,
            rated_blocks: Some(0),
            is_last: false,
            pairs: is_watched.then(|| Pairs {
                matchups: matchups.unwrap_or_default(),
                played: results.fixtures_of(),
                ..Pairs::default()
            }),
            presence: BTreeMap::new(),
            groups: is_watched.then(|| GroupTables::of(settings)).flatten(),
            // What was played before is no part of the pace.
            past: [(Instant::now(), results.fixtures, results.games)].into(),
            results,
        }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.results.head.settings
    }

    /// Takes a line of the journal.
    pub(super) fn take(&mut self, entry: Entry) {
        self.results.take(&entry);
        if let Some(groups) = &mut self.groups {
            groups.take(&entry);
        }
        let Some(pairs) = &mut self.pairs else {
            return;
        };
        if let Some(played) = entry.played() {
            *pairs.played.entry(played.key.matchup).or_default() += 1;
        }
        if let Entry::Round { round, .. } = entry {
            let sections = Section::all(&self.results.head.settings);
            pairs.deals = sections.get(round.section).map_or(0, |own| own.deals);
            (pairs.first, pairs.matchups) = (round.first, round.matchups);
        }
    }

    /// Takes in which entrants are there, of those that come themselves.
    pub(super) fn meet(&mut self, presence: &[Presence]) {
        let state = |one: &Presence| (one.name.clone(), one.state);
        self.presence = presence.iter().map(state).collect();
    }

    /// Names of the entrants that come themselves and are not there; `None` if all are, or nobody waits for them any more.
    pub(super) fn missing(&self) -> Option<String> {
        if self.is_over() {
            return None;
        }
        let missing = self
            .presence
            .iter()
            .filter(|(_, state)| **state == PresenceState::Missing);
        let names: Vec<&str> = missing.map(|(name, _)| &name[..]).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    pub(super) fn is_over(&self) -> bool {
        let played = self.results.fixtures;
        self.total.is_some_and(|total| played >= total)
    }

    /// Takes these results in place of all before.
    pub(super) fn replace(&mut self, results: Results) {
        (self.rated, self.rated_blocks) = (None, None);
        if let Some(pairs) = &mut self.pairs {
            pairs.played = results.fixtures_of();
        }
        if let Some(groups) = &mut self.groups {
            groups.rank_anew();
        }
        self.past = [(Instant::now(), results.fixtures, results.games)].into();
        self.results = results;
    }

    pub(super) fn stop(&mut self, matchup: u32) {
        if let Some(pairs) = &mut self.pairs {
            pairs.stopped.insert(matchup);
        }
    }

    /// Brings ratings and tables up to date, if that has become cheap enough; gives whether they are.
    pub(super) fn rate(&mut self) -> bool {
        let now = Instant::now();
        if self.past.back().is_none_or(|(at, ..)| now > *at) {
            self.past
                .push_back((now, self.results.fixtures, self.results.games));
        }
        while self.past.len() > 2 && now - self.past[0].0 > WINDOW {
            self.past.pop_front();
        }
        let groups = self.groups.as_mut();
        let is_ranked = groups.is_none_or(|groups| groups.rank(&self.results));
        self.rate_blocks() && is_ranked
    }

    fn rate_blocks(&mut self) -> bool {
        let now = Instant::now();
        if Some(self.results.blocks().len()) == self.rated_blocks {
            return true;
        }
        if is_dear(self.rated) {
            return false;
        }
        let mut plan = Plan {
            anchor: self.settings().anchor,
            ..Plan::default()
        };
        if !self.is_last {
            plan.resamples = RESAMPLES;
        }
        let entrants = self.settings().entrants.len();
        let blocks = || self.results.blocks().map(|block| &block.block);
        self.ratings = ratings(entrants, blocks(), plan).entrants;
        if let Some(pairs) = self.pairs.as_mut().filter(|_| entrants <= CROSSED) {
            let share = |cross: Option<stats::Cross>| Some(rounded(cross?.score.mean, 1e3));
            let rows = cross_table(entrants, blocks()).into_iter();
            pairs.cross = rows
                .map(|row| row.into_iter().map(share).collect())
                .collect();
        }
        self.rated = Some((Instant::now(), now.elapsed()));
        self.rated_blocks = Some(self.results.blocks().len());
        true
    }

    /// The next ratings and tables are made whatever they cost, as the report has them.
    pub(super) fn rate_anew(&mut self) {
        self.is_last = true;
        (self.rated, self.rated_blocks) = (None, None);
        if let Some(groups) = &mut self.groups {
            groups.rank_anew();
        }
    }

    /// Fixtures and games a second, over the last minute.
    pub(super) fn speed(&self) -> Option<(f64, f64)> {
        let ((then, fixtures, games), (now, ..)) = (self.past.front()?, self.past.back()?);
        let seconds = now.duration_since(*then).as_secs_f64();
        let since = |then: u64, now: u64| (now - then) as f64 / seconds;
        (seconds > 0.5).then(|| {
            (
                since(*fixtures, self.results.fixtures),
                since(*games, self.results.games),
            )
        })
    }

    /// Games a minute and the time that is left.
    pub(super) fn pace(&self) -> String {
        let Some((fixtures, games)) = self.speed() else {
            return String::new();
        };
        let left = self
            .total
            .map(|total| total.saturating_sub(self.results.fixtures));
        let left = left
            .filter(|_| fixtures > 0.0)
            .map_or_else(String::new, |left| {
                format!(", {} left", time(left as f64 / fixtures))
            });
        format!("fixtures, {:.0} games/min{left}", games * 60.0)
    }

    /// Entrants from the best to the worst, those without a rating last.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.settings().entrants.len()).collect();
        let rating = |&e: &usize| {
            let rating = self.ratings.get(e).filter(|rating| rating.games > 0);
            rating.map_or(f64::NEG_INFINITY, |rating| rating.rating)
        };
        order.sort_by(|a, b| rating(b).total_cmp(&rating(a)));
        order
    }

    /// How the league stands, with so many entrants.
    pub(super) fn league(&self, most: usize) -> League {
        let order = self.order();
        let entrant = |&e: &usize| {
            let rating = self.ratings.get(e).filter(|rating| rating.games > 0);
            let width = rating.map(|rating| rating.half_width);
            let name = &self.settings().entrants[e].name;
            let state = self.presence.get(name);
            Entrant {
                name: name.clone(),
                games: rating.map_or(0, |rating| rating.games),
                faults: self.results.entrants[e].all_faults(),
                rating: rating.map(|rating| rounded(rating.rating, 10.0)),
                half_width: width.filter(|w| w.is_finite()).map(|w| rounded(w, 10.0)),
                disqualified: self.results.orders.disqualified.contains(&e),
                set_aside: self.results.timeouts.aside.contains_key(&e),
                state: state.map(|state| state.as_str().to_owned()),
            }
        };
        let name = |&entrant: &usize| self.settings().entrants[entrant].name.clone();
        let fixture = |(key, seats): &(Key, Vec<usize>)| Fixture {
            key: key.to_string(),
            entrants: seats.iter().map(name).collect(),
        };
        let pause = self.results.orders.pause.as_ref();
        let cross = self.pairs.as_ref().map(|pairs| &pairs.cross[..]);
        let row = |row: &Vec<Option<f64>>| order.iter().map(|&other| row[other]).collect();
        let cross = cross.filter(|rows| !rows.is_empty());
        League {
            title: cut(&self.settings().title, MOST_TITLE),
            game: self.settings().game().as_str().to_owned(),
            fixtures: self.results.fixtures,
            scheduled: self.total,
            entrants: order.iter().take(most).map(entrant).collect(),
            cross: cross.map_or_else(Vec::new, |rows| {
                order.iter().map(|&entrant| row(&rows[entrant])).collect()
            }),
            next: self.next(),
            paused: pause.map(|pause| pause.reason.clone()),
            played: self.results.last.iter().rev().map(fixture).collect(),
            groups: self
                .groups
                .as_ref()
                .map_or_else(Vec::new, |groups| groups.tables.clone()),
        }
    }

    /// Names of the entrants of the next fixtures. The schedule takes the matchups with the fewest games first.
    pub(super) fn next(&self) -> Vec<Vec<String>> {
        let Some(pairs) = &self.pairs else {
            return Vec::new();
        };
        let plan = self.settings().plan();
        let deals = if pairs.deals > 0 {
            pairs.deals
        } else {
            plan.deals
        };
        let all = u64::from(deals) * u64::from(plan.rotations());
        let numbered = (pairs.first..).zip(&pairs.matchups);
        let numbered = numbered.filter(|(number, _)| !pairs.stopped.contains(number));
        let left = numbered.map(|(number, seated)| {
            let played = pairs.played.get(&number).copied().unwrap_or_default();
            (played, number, seated)
        });
        let mut left: Vec<_> = left.filter(|(played, ..)| *played < all).collect();
        left.sort_unstable();
        let name = |&entrant: &usize| self.settings().entrants[entrant].name.clone();
        let next = left.into_iter().take(PAIRED);
        next.map(|(.., seated)| seated.iter().map(name).collect())
            .collect()
    }

    /// The rating of an entrant with its interval, and its games; `None` without one.
    pub(super) fn rating(&self, entrant: usize) -> Option<(String, u64)> {
        let rating = self.ratings.get(entrant).filter(|r| r.games > 0)?;
        let mut text = number::signed(rating.rating, 0);
        if entrant != self.settings().anchor {
            text = format!("{text} {}", number::rating_interval(rating.half_width));
        }
        Some((text, rating.games))
    }

    pub(super) fn rows(&self) -> String {
        let order = self.order();
        let shown = &order[..order.len().min(BAR_ROWS)];
        let names = self.settings().names();
        let width = shown.iter().map(|&e| names[e].chars().count()).max();
        let width = width.unwrap_or_default();
        let rating = |&e: &usize| self.rating(e).unwrap_or((number::NONE.to_owned(), 0));
        let ratings: Vec<(String, u64)> = shown.iter().map(rating).collect();
        let widest = ratings.iter().map(|(text, _)| text.chars().count()).max();
        let widest = widest.unwrap_or_default().max(RATING_WIDTH);
        let row = |(&e, (rating, games)): (&usize, &(String, u64))| {
            let games = number::counted(*games, "game");
            let faults = match self.results.entrants[e].all_faults() {
                0 => String::new(),
                n => format!(", {}", number::counted(n, "fault")),
            };
            let missing = match self.presence.get(names[e]) {
                Some(PresenceState::Missing) => ", not connected",
                _ => "",
            };
            format!(
                "  {:width$} {rating:>widest$}  {games}{faults}{missing}",
                names[e]
            )
        };
        let mut rows: Vec<String> = shown.iter().zip(&ratings).map(row).collect();
        if order.len() > shown.len() {
            rows.push(format!("  and {} more", order.len() - shown.len()));
        }
        rows.join("\n")
    }

    pub(super) fn line(&self) -> String {
        let total = self.total.map_or_else(String::new, |n| format!(" of {n}"));
        let pace = match self.pace() {
            pace if pace.is_empty() => "fixtures".to_owned(),
            pace => pace,
        };
        let names = self.settings().names();
        let rating = |&e: &usize| {
            let (rating, _) = self.rating(e)?;
            Some(format!("{} {rating}", names[e]))
        };
        let best: Vec<String> = self
            .order()
            .iter()
            .filter_map(rating)
            .take(LINE_NAMES)
            .collect();
        let best = match &best[..] {
            [] => String::new(),
            best => format!("; {}", best.join(", ")),
        };
        let missing = self.missing();
        let missing = missing.map_or_else(String::new, |names| format!("; waiting for {names}"));
        format!("{}{total} {pace}{best}{missing}", self.results.fixtures)
    }
}

#[derive(Default)]
struct Pairs {
    /// Matchups by number, the first of which has this one: all, or those of the round in play where pairings depend on
    /// results.
    first: u32,
    matchups: Vec<Vec<usize>>,
    /// Deals of these; 0 for those of all.
    deals: u32,
    played: BTreeMap<u32, u64>,
    stopped: BTreeSet<u32>,
    /// Shares by two entrants, where these are few.
    cross: Vec<Vec<Option<f64>>>,
}

/// A time for people, of about two digits.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s if s < 360_000.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use record::EndKind;

    use super::super::groups::TOLD;
    use super::*;
    use record::watch::Standing;

    use crate::journal::{Exclusion, Game, PairedRound, Played};
    use crate::settings::TieBreak;
    use crate::settings::{ExclusionRule, Format, Stage};
    use crate::testing::{head, settings};

    fn played(deal: u32, rotation: u8) -> Played {
        let first = usize::from(rotation);
        // Entrant 1 wins, but for every eighth game, and forfeits the last of a hundred.
        let places = if (deal * 2 + u32::from(rotation)).is_multiple_of(8) {
            vec![first as u8, 1 - first as u8]
        } else {
            vec![1 - first as u8, first as u8]
        };
        let fault = deal == 99 && rotation == 1;
        Played {
            key: format!("0.{deal}.{rotation}").parse().unwrap(),
            seats: vec![first, 1 - first],
            ms: 1,
            games: vec![Game {
                points: places.iter().map(|&p| 1.0 - f64::from(p)).collect(),
                places,
                moves: vec![1; 2],
                used: vec![1; 2],
                slowest: vec![1; 2],
                kinds: if fault {
                    vec![EndKind::Normal, EndKind::Illegal]
                } else {
                    Vec::new()
                },
                ..Game::default()
            }],
            record: None,
            host: None,
        }
    }

    fn round(
        section: usize,
        groups: Vec<Vec<usize>>,
        first: u32,
        matchups: Vec<Vec<usize>>,
    ) -> Entry {
        Entry::Round {
            begun: String::new(),
            round: PairedRound {
                section,
                first,
                matchups,
                groups,
            },
        }
    }

    fn figures_of(settings: &Settings, is_watched: bool) -> Figures {
        Figures::new(Results::new(head(settings.clone())), is_watched)
    }

    #[test]
    fn figures_follow_the_games() {
        let mut settings = settings();
        settings.deals = 200;
        let mut figures = figures_of(&settings, false);
        assert_eq!(figures.line(), "0 of 400 fixtures");
        for deal in 0..100 {
            figures.take(Entry::Played(played(deal, 0)));
            figures.take(Entry::Played(played(deal, 1)));
        }
        figures.rate();
        let line = figures.line();
        assert!(line.starts_with("200 of 400 fixtures; bo +"), "{line}");
        assert!(line.contains(" ±") && line.ends_with(", ana 0"), "{line}");
        let rows = figures.rows();
        assert!(
            rows.contains("200 games, 1 fault") && rows.lines().count() == 2,
            "{rows}"
        );
        // Ratings wait until their cost is a hundredth of the time, whatever came meanwhile.
        figures.rated = Some((Instant::now(), Duration::from_mins(1)));
        let before = figures.ratings.clone();
        // Tables end in any order.
        for deal in (100..200).rev() {
            figures.take(Entry::Played(played(deal, 0)));
            figures.take(Entry::Played(played(deal, 1)));
        }
        figures.rate();
        assert_eq!(figures.ratings, before);
        figures.rate_anew();
        figures.rate();
        assert_eq!(figures.ratings[0].games, 400);
        let plan = Plan {
            anchor: settings.anchor,
            ..Plan::default()
        };
        let mut all = Results::new(head(settings));
        for deal in 0..200 {
            all.take(&Entry::Played(played(deal, 0)));
            all.take(&Entry::Played(played(deal, 1)));
        }
        let reported = ratings(2, all.blocks().map(|one| &one.block), plan).entrants;
        assert_eq!(figures.ratings, reported);
    }

    #[test]
    fn rows_are_aligned_whatever_is_known() {
        let settings = settings();
        let mut figures = figures_of(&settings, false);
        figures.take(Entry::Played(played(0, 0)));
        figures.take(Entry::Played(played(0, 1)));
        figures.rate();
        figures.ratings[1].rating = 1234.0;
        figures.ratings[1].half_width = f64::INFINITY;
        let rows = figures.rows();
        assert!(rows.contains("bo  +1234 no interval  2 games"), "{rows}");
        let columns: Vec<_> = rows.lines().map(|row| row.find("  2 games")).collect();
        assert!(columns[0].is_some() && columns[0] == columns[1], "{rows}");
    }

    #[test]
    fn watchers_are_told_how_the_league_stands() {
        let mut settings = settings();
        settings.deals = 100;
        let mut figures = figures_of(&settings, true);
        let league = figures.league(TOLD);
        assert_eq!((league.fixtures, league.scheduled), (0, Some(200)));
        assert_eq!(
            (league.entrants.len(), league.entrants[0].rating),
            (2, None)
        );
        assert_eq!(league.next, [["ana", "bo"]]);
        assert!(league.cross.is_empty());
        for deal in 0..100 {
            figures.take(Entry::Played(played(deal, 0)));
            figures.take(Entry::Played(played(deal, 1)));
        }
        figures.rate();
        let league = figures.league(TOLD);
        let names: Vec<&str> = league.entrants.iter().map(|e| &e.name[..]).collect();
        assert_eq!(names, ["bo", "ana"]);
        let [bo, ana] = &league.entrants[..] else {
            panic!("two entrants");
        };
        assert!(bo.rating > Some(0.0) && bo.half_width > Some(0.0));
        assert_eq!((ana.rating, ana.games, ana.faults), (Some(0.0), 200, 1));
        assert_eq!(league.cross, [[None, Some(0.875)], [Some(0.125), None]]);
        assert!(league.next.is_empty(), "all is played");
        assert_eq!(figures.league(TOLD), league);
        // Where results pair them, each round is told when it begins.
        settings.format = Format::Swiss { rounds: 2 };
        let mut figures = figures_of(&settings, true);
        assert!(figures.league(TOLD).next.is_empty());
        figures.take(round(0, Vec::new(), 0, vec![vec![0, 1]]));
        assert_eq!(figures.league(TOLD).next, [["ana", "bo"]]);
        for deal in 0..100 {
            figures.take(Entry::Played(played(deal, 0)));
            figures.take(Entry::Played(played(deal, 1)));
        }
        assert!(figures.league(TOLD).next.is_empty());
        figures.take(round(0, Vec::new(), 1, vec![vec![1, 0]]));
        assert_eq!(figures.league(TOLD).next, [["bo", "ana"]]);
    }

    #[test]
    fn watchers_are_told_the_points_of_groups_and_who_is_there() {
        let told = |figures: &mut Figures| {
            figures.rate();
            figures.league(TOLD).groups
        };
        let mut settings = settings();
        assert!(told(&mut figures_of(&settings, true)).is_empty());
        settings.ranking.tie_breaks = vec![TieBreak::Points];
        assert!(
            told(&mut figures_of(&settings, false)).is_empty(),
            "nobody watches"
        );
        let mut figures = figures_of(&settings, true);
        let standing = |name: &str, games, points| Standing {
            name: name.to_owned(),
            games,
            points,
        };
        // Half of a deal counts, too.
        figures.take(Entry::Played(played(1, 0)));
        let [group] = &told(&mut figures)[..] else {
            panic!("one group");
        };
        let due = [standing("bo", 1, 1.0), standing("ana", 1, 0.0)];
        assert_eq!((&group.name[..], &group.entrants[..]), ("", &due[..]));
        // Those of another stage are none of this one.
        settings.stages = vec![Stage {
            name: "final".to_owned(),
            advance: 2,
            wild_cards: 0,
            groups: 1,
            format: Format::RoundRobin,
            deals: 1,
        }];
        let mut figures = figures_of(&settings, true);
        figures.take(Entry::Played(played(1, 0)));
        figures.take(round(1, vec![vec![1, 0]], 1, vec![vec![0, 1]]));
        let groups = told(&mut figures);
        assert_eq!(
            (&groups[0].name[..], groups[0].entrants[0].games),
            ("final", 0)
        );

        let presence = |name: &str, state| Presence {
            name: name.to_owned(),
            connects_to: ([127, 0, 0, 1], 1).into(),
            state,
        };
        figures.meet(&[presence("bo", PresenceState::Missing)]);
        figures.take(Entry::Excluded {
            begun: String::new(),
            set_aside: Exclusion {
                entrant: "bo".to_owned(),
                reason: String::new(),
                games: ExclusionRule::Lost,
            },
        });
        let league = figures.league(TOLD);
        let told = |name: &str| {
            let one = league.entrants.iter().find(|one| one.name == name);
            one.map(|one| (one.set_aside, one.state.clone()))
        };
        assert_eq!(told("ana"), Some((false, None)));
        assert_eq!(told("bo"), Some((true, Some("missing".to_owned()))));
    }

    #[test]
    fn a_league_of_many_stays_below_the_limit_of_a_line() {
        let mut settings = settings();
        settings.ranking.tie_breaks = vec![TieBreak::Points];
        let entrant = settings.entrants[0].clone();
        settings.title = "名".repeat(500);
        settings.entrants = (0..300)
            .map(|n| crate::settings::Entrant {
                name: format!("{}{n}", "名".repeat(60)),
                ..entrant.clone()
            })
            .collect();
        settings.stages = vec![Stage {
            name: "名".repeat(233),
            advance: 300,
            wild_cards: 0,
            groups: 150,
            format: Format::RoundRobin,
            deals: 1,
        }];
        let mut figures = figures_of(&settings, true);
        let groups = (0..150).map(|n| vec![2 * n, 2 * n + 1]).collect();
        figures.take(round(1, groups, 1, Vec::new()));
        for deal in 0..12 {
            figures.take(Entry::Played(played(deal, 0)));
        }
        figures.rate();
        let league = figures.league(TOLD);
        assert_eq!((league.played.len(), league.groups.len()), (12, 24));
        let line = record::watch::WatchMessage::League(league).to_line();
        assert!(
            line.len() < protocol::native::SERVER_LINE_LIMIT * 3 / 4,
            "{}",
            line.len()
        );
    }

    #[test]
    fn the_pace_is_that_of_the_last_minute() {
        let mut figures = figures_of(&settings(), false);
        figures.total = Some(1000);
        let now = Instant::now();
        (figures.results.fixtures, figures.results.games) = (400, 800);
        figures.past = [(now, 300, 600), (now + Duration::from_secs(50), 400, 800)].into();
        assert_eq!(figures.pace(), "fixtures, 240 games/min, 5 min left");
        figures.total = None;
        assert_eq!(figures.pace(), "fixtures, 240 games/min");
    }

    #[test]
    fn times_are_short() {
        let texts = [3.2, 99.0, 300.0, 7200.0, 864_000.0].map(time);
        assert_eq!(texts, ["3 s", "99 s", "5 min", "2.0 h", "10 days"]);
    }
}
