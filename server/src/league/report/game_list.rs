//! The list of games of the page, each with a link to its record.

use std::fmt::Write as _;
use std::path::Path;

use super::charts::{escape, name};
use super::number::{self, NONE};
use super::{Report, csv};
use crate::league::journal::{Game, InRecord, Journal, Played};
use record::EndKind;
use record::files::{address, in_shell};

/// Games of the list; the table for other programs has all.
const MOST: usize = 2000;
/// So many games are shown at once; more are folded by matchup.
const UNFOLDED: u64 = 40;

/// The games of a league, as rows of tables.
pub(super) struct GameList<'a> {
    /// The fixtures in the order of their keys.
    played: Vec<&'a Played>,
    names: Vec<&'a str>,
    session: u32,
    /// The folder of the records as seen from the page.
    records: &'a Path,
}

impl<'a> GameList<'a> {
    /// The games of a journal, whose records are there.
    pub(super) fn of(journal: &'a Journal, records: &'a Path) -> GameList<'a> {
        let settings = &journal.head.settings;
        let mut played: Vec<&Played> = journal.played().collect();
        played.sort_by_key(|played| played.key);
        GameList {
            played,
            names: settings.names(),
            session: settings.session,
            records,
        }
    }

    /// The section of the page; nothing without a game.
    pub(super) fn section(&self, html: &mut String, report: &Report) {
        if self.played.is_empty() {
            return;
        }
        let all = report.totals.games;
        html.push_str("<section class=\"wide\" id=\"games\">\n<h2>Games</h2>\n");
        self.lead(html, all);
        let open = if all <= UNFOLDED { " open" } else { "" };
        let mut left = MOST;
        for matchup in self.played.chunk_by(|a, b| a.key.matchup == b.key.matchup) {
            let games = matchup.iter().flat_map(|played| {
                let numbered = (0..).zip(&played.games);
                numbered.map(move |(number, game)| (*played, number, game))
            });
            let count = games.clone().count();
            let _ = write!(
                html,
                "<details{open}><summary>{}: {}</summary>\n<div class=\"scroll\" tabindex=\"0\"><table class=\"games\">\n",
                self.matchup(matchup[0]),
                number::counted(count as u64, "game"),
            );
            self.head(html, matchup[0].seats.len());
            for (played, number, game) in games.take(left) {
                self.row(html, played, number, game);
            }
            html.push_str("</table></div></details>\n");
            left = left.saturating_sub(count);
            if left == 0 {
                break;
            }
        }
        html.push_str("</section>\n");
    }

    /// What the list is, and how a game is looked at.
    fn lead(&self, html: &mut String, all: u64) {
        html.push_str("<p class=\"lead\">");
        if all > MOST as u64 {
            let _ = write!(
                html,
                "The first {} of {}; <a href=\"{table}\">{table}</a> has all. ",
                number::count(MOST as u64),
                number::counted(all, "game"),
                table = csv::GAMES,
            );
        }
        html.push_str("Key: matchup, deal and rotation. Time: of all moves together. ");
        let mut recorded = self
            .played
            .iter()
            .filter_map(|played| played.record.as_ref());
        match recorded.next() {
            Some(record) => {
                let _ = write!(
                    html,
                    "<code>taikyoku web --records .</code> in the folder of the league shows this page under “Games \
                     played”, and there a link to a record leads to its replay; in a terminal \
                     <code>{}</code> shows that game.",
                    escape(&self.command(record, 0)),
                );
            }
            None => html.push_str(
                "There are no records; <code>records = true</code> in the file of a league keeps them.",
            ),
        }
        html.push_str("</p>\n");
    }

    fn matchup(&self, played: &Played) -> String {
        let mut entrants = played.seats.clone();
        entrants.sort_unstable();
        entrants.dedup();
        let names = entrants.iter().map(|&entrant| name(self.names[entrant]));
        names.collect::<Vec<_>>().join(" – ")
    }

    fn head(&self, html: &mut String, seats: usize) {
        html.push_str("<tr><th class=\"name\">key</th>");
        if self.session > 1 {
            html.push_str("<th>game</th>");
        }
        for seat in 1..=seats {
            let _ = write!(html, "<th class=\"name\">seat {seat}</th>");
        }
        html.push_str("<th class=\"name\">end</th><th>plies</th><th>time</th><th class=\"name\">record</th></tr>\n");
    }

    /// A game, the number of which in its fixture is from 0.
    fn row(&self, html: &mut String, played: &Played, number: u32, game: &Game) {
        let _ = write!(html, "<tr><td class=\"key\">{}</td>", played.key);
        if self.session > 1 {
            let _ = write!(html, "<td>{}</td>", number + 1);
        }
        // By seat of the table.
        let mut seats: Vec<usize> = (0..played.seats.len()).collect();
        seats.sort_by_key(|&seat| game.at.get(seat).copied().unwrap_or(seat as u8));
        let is_level = game.places.iter().all(|place| *place == game.places[0]);
        for seat in seats {
            let class = match game.places[seat] {
                0 if !is_level => "name won",
                _ => "name",
            };
            let _ = write!(
                html,
                "<td class=\"{class}\">{}<small>{}</small></td>",
                name(self.names[played.seats[seat]]),
                number::points(game.points[seat]),
            );
        }
        let _ = writeln!(
            html,
            "<td class=\"name\">{}</td><td>{}</td><td>{}</td><td class=\"name\">{}</td></tr>",
            self.end(played, game),
            number::count(u64::from(game.plies)),
            number::time(game.used.iter().sum::<u64>() as f64),
            played
                .record
                .as_ref()
                .map_or_else(|| NONE.to_owned(), |record| self.link(record, number)),
        );
    }

    /// The rule that ended a game, and the faults of its players.
    fn end(&self, played: &Played, game: &Game) -> String {
        let rule = game.rule.iter().map(|rule| escape(rule));
        let faults = (0..).zip(&game.kinds);
        let faults = faults.filter(|(_, kind)| **kind != EndKind::Normal);
        let faults = faults.map(|(seat, kind): (usize, &EndKind)| {
            format!("{kind} of {}", name(self.names[played.seats[seat]]))
        });
        let all: Vec<String> = rule.chain(faults).collect();
        if all.is_empty() {
            NONE.to_owned()
        } else {
            all.join(", ")
        }
    }

    /// A link to the game of a record: a file beside the page, and a replay where the gateway shows the page.
    fn link(&self, record: &InRecord, number: u32) -> String {
        let path = self.records.join(&record.file);
        format!(
            "<a href=\"{}#game={game}\" title=\"{}\">{}, game {game}</a>",
            address(&path),
            escape(&self.command(record, number)),
            escape(&record.file),
            game = u64::from(record.game) + u64::from(number),
        )
    }

    fn command(&self, record: &InRecord, number: u32) -> String {
        let path = self.records.join(&record.file);
        format!(
            "taikyoku replay {} --game {}",
            in_shell(&path),
            u64::from(record.game) + u64::from(number)
        )
    }
}
