//! Tables for other programs: RFC 4180, UTF-8, one line of headings.

use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::{Report, Results, write_file};
use crate::journal::{Fixtures, Game, Played};
use crate::schedule::Key;
use games::Printable;
use record::EndKind;
use stats::Elo;

/// Name of the table with a row for each entrant.
pub const STANDINGS: &str = "standings.csv";
/// Name of the table with a row for each game and seat.
pub const GAMES: &str = "games.csv";

const FAULTS: [EndKind; 6] = [
    EndKind::Illegal,
    EndKind::Timeout,
    EndKind::Stall,
    EndKind::Disconnect,
    EndKind::Crash,
    EndKind::ProtocolError,
];

/// Both tables by the names of their files.
pub fn tables<R: Read + Seek>(
    report: &Report,
    results: &Results,
    fixtures: &mut Fixtures<R>,
) -> io::Result<[(&'static str, Vec<u8>); 2]> {
    let mut tables = [(STANDINGS, Vec::new()), (GAMES, Vec::new())];
    standings(&mut tables[0].1, report)?;
    games(&mut tables[1].1, results, fixtures)?;
    Ok(tables)
}

/// Writes both tables into a folder.
pub fn write<R: Read + Seek>(
    folder: &Path,
    report: &Report,
    results: &Results,
    fixtures: &mut Fixtures<R>,
) -> io::Result<()> {
    write_file(&folder.join(STANDINGS), |out| standings(out, report))?;
    write_file(&folder.join(GAMES), |out| games(out, results, fixtures))
}

/// A row for each entrant, from the best to the worst. Ends of intervals that cannot be told yet are empty.
pub fn standings(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let mut head = String::from(
        "rank,name,number,rating,rating_half_width,superior_to_next,games,seats,points_total,place,place_low,place_high,\
         place_half_width,points,points_low,points_high,points_half_width,wins,wins_low,wins_high,wins_half_width,score,\
         score_low,score_high,score_half_width,moves,move_ms,slowest_move_ms,game_ms,\
         longest_game_ms",
    );
    for kind in FAULTS {
        head.push(',');
        head.push_str(&kind.as_str().replace('-', "_"));
    }
    head.push_str(
        ",won,drawn,lost,pairs_0,pairs_1,pairs_2,pairs_3,pairs_4,elo,elo_low,elo_high,normalized_elo,normalized_elo_low,\
         normalized_elo_high,refused",
    );
    writeln!(out, "{head}\r")?;
    for (rank, line) in (1..).zip(&report.entrants) {
        let standing = &line.standing;
        let time = &line.thinking;
        write!(out, "{rank},{},{}", quoted(&line.name), line.number)?;
        number(out, line.rating)?;
        number(out, line.rating.map(|_| line.rating_half_width))?;
        number(out, line.superior_to_next.map(|chance| chance.0))?;
        write!(out, ",{},{}", line.games, standing.seats)?;
        number(out, Some(standing.points_total))?;
        for mean in [
            standing.place,
            standing.points,
            standing.wins,
            standing.score,
        ] {
            number(out, (mean.blocks > 0).then_some(mean.mean))?;
            for value in [mean.low, mean.high, mean.half_width()] {
                number(out, Some(value))?;
            }
        }
        write!(out, ",{}", time.moves)?;
        number(out, time.move_ms)?;
        write!(out, ",{}", time.slowest_move_ms)?;
        number(out, time.game_ms)?;
        write!(out, ",{}", time.longest_game_ms)?;
        for kind in FAULTS {
            let count = line.faults.get(kind.as_str()).copied().unwrap_or_default();
            write!(out, ",{count}")?;
        }
        match &line.duels {
            Some(duels) => {
                let games = [duels.won, duels.drawn, duels.lost];
                for count in games.into_iter().chain(duels.pairs) {
                    write!(out, ",{count}")?;
                }
                for Elo { value, low, high } in [duels.elo, duels.normalized_elo] {
                    for value in [value, low, high] {
                        number(out, Some(value))?;
                    }
                }
            }
            None => out.write_all(&[b','; 14])?,
        }
        write!(out, ",{}", line.refused)?;
        out.write_all(b"\r\n")?;
    }
    Ok(())
}

fn number(out: &mut dyn Write, value: Option<f64>) -> io::Result<()> {
    match value.filter(|v| v.is_finite()) {
        Some(value) => {
            let text = format!("{value:.6}");
            let zero = text.trim_start_matches('-');
            let is_zero = zero.trim_matches(['0', '.']).is_empty();
            write!(out, ",{}", if is_zero { zero } else { &text })
        }
        None => out.write_all(b","),
    }
}

/// A row for each seat of each game, in the order of the schedule. `game` is the number in the session and
/// `seat` that at the table, both from 1; `count` is what the game itself counts, empty without such; `record` is the file in the
/// folder of records, and `record_game` the number of the game in it, empty where none was kept.
pub fn games<R: Read + Seek>(
    out: &mut dyn Write,
    results: &Results,
    fixtures: &mut Fixtures<R>,
) -> io::Result<()> {
    writeln!(
        out,
        "key,game,seat,name,place,points,count,end,rule,plies,moves,used_ms,slowest_move_ms,record,record_game\r"
    )?;
    let entrants = results.head.settings.entrants.iter();
    let names: Vec<String> = entrants.map(|e| quoted(&e.name)).collect();
    let order = |key: Key| {
        let position = results.order.position(key.matchup, key.deal);
        (position, key.rotation)
    };
    for played in fixtures.by(order) {
        let played = played?;
        for (number, game) in (0..).zip(&played.games) {
            game_rows(out, &played, number, game, &names)?;
        }
    }
    Ok(())
}

fn game_rows(
    out: &mut dyn Write,
    played: &Played,
    number: u64,
    game: &Game,
    names: &[String],
) -> io::Result<()> {
    let rule = game.rule.as_deref().map_or_else(String::new, quoted);
    let record = match &played.record {
        Some(at) => format!("{},{}", quoted(&at.file), u64::from(at.game) + number),
        None => ",".to_owned(),
    };
    for (seat, &entrant) in played.seats.iter().enumerate() {
        let at = game.at.get(seat).map_or(seat, |&at| usize::from(at));
        let count = game
            .counts
            .get(seat)
            .map_or_else(String::new, i32::to_string);
        writeln!(
            out,
            "{},{},{},{},{},{},{count},{},{rule},{},{},{},{},{record}\r",
            played.key,
            number + 1,
            at + 1,
            names[entrant],
            u16::from(game.places[seat]) + 1,
            game.points[seat],
            game.kind(seat).as_str(),
            game.plies,
            game.moves[seat],
            game.used[seat],
            game.slowest[seat],
        )?;
    }
    Ok(())
}

/// In quotes where a comma or a quote asks for it.
fn quoted(text: &str) -> String {
    // A program that shows tables takes a cell that begins so for a formula; behind an apostrophe it is text.
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = &format!("{}{}", if is_formula { "'" } else { "" }, Printable(text));
    if text.contains([',', '"']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::result::tests::{NAMES, large, tables};

    use super::*;
    use crate::journal::Entry;
    use crate::settings::cells;

    #[test]
    fn tables_for_programs_have_all_columns_and_quotes() {
        let (settings, entries) = large(&NAMES);
        let played = entries.iter().filter_map(Entry::played).count();
        let columns = tables(&settings, &entries).map(|text| {
            assert!(text.ends_with("\r\n"));
            let rows = text.split_terminator("\r\n").map(cells);
            rows.collect::<Vec<Vec<String>>>()
        });
        let [standings, games] = columns;
        assert_eq!(standings.len(), 7);
        assert!(standings.iter().all(|row| row.len() == standings[0].len()));
        let mut names: Vec<&str> = standings[1..].iter().map(|row| &row[1][..]).collect();
        // One of them looks like a formula.
        let due = NAMES.map(|name| name.replace("=e", "'=e"));
        let mut due: Vec<&str> = due.iter().map(String::as_str).collect();
        names.sort_unstable();
        due.sort_unstable();
        assert_eq!(names, due);
        assert_eq!(games.len(), 1 + 5 * played);
        assert!(games.iter().all(|row| row.len() == games[0].len()));
        let illegal = games.iter().filter(|row| row[7] == "illegal").count();
        assert_eq!(illegal, played.div_ceil(7));
        assert_eq!(games[1][..3], ["0.0.0", "1", "5"]);
    }

    #[test]
    fn no_name_is_a_formula() {
        for (name, cell) in [
            ("=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@a", "'@a"),
            ("a-b=c", "a-b=c"),
            ("a,b", "\"a,b\""),
            ("\ta\u{1b}\u{202e}", r"'\ta\u001b\u202e"),
        ] {
            assert_eq!(quoted(name), cell);
        }
    }
}
