//! The compliance check of a stranger's bot before a tournament.
//!
//! The bot plays matches against house bots at tables of the league, through a proxy that cuts the server's bytes
//! up, runs them together, or loses an opponent on the way. Each thing that is looked at has one [`Verdict`].
//!
//! | part | what it does |
//! |---|---|
//! | `plan` | the league of a match, from what was asked for |
//! | `proxy` | the way between a program and its port |
//! | `trial` | one match, and all that was seen, the referee's words among it |
//! | `judge` | what is thought of it |

mod judge;
mod plan;
mod proxy;
mod remedy;
mod trial;
mod verdict;

use std::io;

pub use plan::CheckPlan;
pub use verdict::{CheckReport, Grade, Verdict};

use proxy::Shape;
use trial::{Observed, Trial};

/// Checks a bot. Every verdict goes to `on_verdict` as soon as it is there.
///
/// # Errors
/// When the check itself cannot go on: no port, or no house bots beside this program.
pub async fn run(
    plan: &CheckPlan,
    on_verdict: &mut dyn FnMut(&Verdict),
) -> io::Result<CheckReport> {
    let mut report = CheckReport::new(plan);
    let mut tell = |verdicts: Vec<Verdict>, report: &mut CheckReport| {
        for verdict in verdicts {
            on_verdict(&verdict);
            report.verdicts.push(verdict);
        }
    };
    let first = Trial::new(plan, 1, Shape::Plain).run().await?;
    tell(judge::first(plan, &first), &mut report);
    if report.failures() > 0 {
        tell(judge::skipped(plan), &mut report);
        return Ok(report);
    }
    let split = Trial::new(plan, 1, Shape::Split).run().await?;
    let glued = Trial::new(plan, 1, Shape::Glued).run().await?;
    // The usual pause of GAT makes a game last ten seconds: a bot that does not need it plays without it.
    let with_pause = judge::problem(plan, &glued, 1).is_some();
    let many = Trial::new(plan, plan.games, Shape::Plain);
    let many = many.paused(with_pause).run().await?;
    tell(judge::many(plan, &many), &mut report);
    let is_sound = judge::problem(plan, &many, plan.games).is_none();
    for (check, seen) in [("split-packets", &split), ("glued-packets", &glued)] {
        tell(
            vec![judge::packets(plan, check, seen, is_sound)],
            &mut report,
        );
    }
    let vanished = Trial::vanishing(plan).paused(with_pause).run().await?;
    let lingers = many.exit == trial::Exit::Lingers;
    tell(vec![judge::vanished(plan, &vanished, lingers)], &mut report);
    let all: [&Observed; 3] = [&first, &many, &vanished];
    tell(judge::manners(plan, all), &mut report);
    Ok(report)
}
