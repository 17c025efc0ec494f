//! Experiments on Daihinmin: the two-bandit experiment on a small position, and the learning of the networks.

use std::path::PathBuf;

use bots::daihinmin::MonteCarlo;
use bots::search::Budget;
use clap::{Args, Subcommand};
use games::daihinmin::{Meld, Position, Rules, View};
use indicatif::ProgressBar;
use taikyoku_lab::training::daihinmin::Daihinmin;
use taikyoku_lab::training::field::{Field, Foresight};

use crate::Failure;
use crate::learning::{LearnOptions, PassOptions, show_progress, try_out, write_out};

#[derive(Args)]
pub(crate) struct Figure4 {
    /// Decisions by each engine.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    decisions: u32,
    /// Playouts per decision.
    #[arg(long, value_name = "N", default_value_t = 2000)]
    playouts: u32,
    /// Alpha of `crow`.
    #[arg(long, value_name = "A", default_value_t = 0.9)]
    alpha: f64,
    /// The three cards of the seat that decides.
    #[arg(long, value_name = "CARDS", default_value = "D5H9SK")]
    hand: String,
    /// Seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

/// Experiments on Daihinmin.
#[derive(Subcommand)]
pub(crate) enum DaihinminCommand {
    /// Compare how `mc` and `crow` spend their playouts on a position with three cards and three
    /// moves: the distribution of playouts and of choices over many decisions.
    Figure4(Figure4),
}

pub(crate) fn run(command: &DaihinminCommand) -> Result<(), Failure> {
    match command {
        DaihinminCommand::Figure4(options) => figure_4(options),
    }
}

fn figure_4(options: &Figure4) -> Result<(), Failure> {
    let &Figure4 {
        decisions,
        playouts,
        alpha,
        ref hand,
        seed,
    } = options;
    let hand = hand.parse().map_err(|e| format!("--hand: {e}"))?;
    let view = small_view(hand);
    println!(
        "{decisions} decisions on {hand}, lead, five seats with three cards, {playouts} playouts"
    );
    for (name, alpha) in [("mc", 1.0), ("crow", alpha)] {
        let mut engine = MonteCarlo::new(Budget::playouts(playouts.into()), alpha, 1, seed);
        let mut moves: Vec<(Meld, u32, Vec<f64>)> = Vec::new();
        let bar = ProgressBar::new(u64::from(decisions));
        for _ in 0..decisions {
            let candidates = engine.search(&view, None);
            if moves.is_empty() {
                moves = candidates.iter().map(|c| (c.mv, 0, Vec::new())).collect();
            }
            let mut best = 0;
            for (i, c) in candidates.iter().enumerate() {
                moves[i].2.push(c.trials as f64);
                if c.trials > candidates[best].trials {
                    best = i;
                }
            }
            moves[best].1 += 1;
            bar.inc(1);
        }
        bar.finish_and_clear();
        println!("{name} (alpha {alpha}):");
        for (meld, chosen, trials) in &mut moves {
            trials.sort_by(f64::total_cmp);
            let at = |q: f64| trials[((trials.len() - 1) as f64 * q) as usize];
            let mean = trials.iter().sum::<f64>() / trials.len() as f64;
            println!(
                "  {meld:<6} chosen {chosen:>5}   playouts mean {mean:>7.1}   \
                 5 % {:>6}   median {:>6}   95 % {:>6}",
                at(0.05),
                at(0.5),
                at(0.95)
            );
        }
    }
    Ok(())
}

/// A late position: every seat has three cards, the others' unknown, the seat leads.
fn small_view(hand: games::daihinmin::Cards) -> View {
    let rest = !hand;
    // Every fourth card of the rest is still in play, the others have been laid down.
    let mut hands = [games::daihinmin::Cards::EMPTY; 5];
    hands[0] = hand;
    for (i, card) in rest.iter().step_by(4).take(12).enumerate() {
        hands[1 + i % 4].insert(card);
    }
    let in_play = hands
        .iter()
        .fold(games::daihinmin::Cards::EMPTY, |all, &h| all | h);
    let mut position = Position::new(hands, Rules::default());
    position.table.turn = 0;
    position.table.owner = 0;
    let mut view = View::at_start(&position, 0);
    view.played[1] = !in_play;
    view
}

#[derive(Args)]
pub(crate) struct FieldOptions {
    /// File to write, for `best:field=FILE`.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Records of matches, as taikyoku serve uecda --records writes them.
    #[arg(required = true, value_name = "RECORD")]
    records: Vec<PathBuf>,
    /// Names of players of one kind, separated by commas; may be given several times. A kind of all players is always learned, too.
    #[arg(long, value_name = "A,B,...")]
    kind: Vec<String>,
    #[command(flatten)]
    passes: PassOptions,
}

/// Learns policies of players of whom nothing is known, and writes them.
pub(crate) fn train_field(options: &FieldOptions) -> Result<(), Failure> {
    try_out(&options.out)?;
    let names = |kind: &String| {
        let names = kind.split(',').map(str::trim);
        names.map(str::to_owned).collect()
    };
    let mut field = Field::new(options.kind.iter().map(names).collect());
    for path in &options.records {
        field.read(path)?;
    }
    let unknown: Vec<_> = field.unknown().collect();
    if !unknown.is_empty() {
        return Err(format!(
            "--kind: no player of the records is called {}",
            unknown.join(", ")
        )
        .into());
    }
    let decisions = field.decisions();
    println!("{} games, decisions by kind: {decisions:?}", field.games());
    if let Some(kind) = decisions.iter().position(|&count| count == 0) {
        let of = kind.checked_sub(1).map(|kind| &options.kind[kind]);
        let of = of.map_or_else(String::new, |names| format!(" of {names}"));
        return Err(format!("these records have no decisions{of} to learn from").into());
    }
    let plan = options.passes.plan();
    show_progress(|progress| field.learn(&plan, progress));
    write_out(&options.out, &field.to_bytes())?;
    println!("player     held out  by kind: nats a decision (share of the moves foreseen)");
    for (name, by_kind) in field.foresight() {
        let count = by_kind.first().map_or(0, |foresight| foresight.decisions);
        let tell = |Foresight { nats, hits, .. }: &Foresight| format!("  {nats:.3} ({hits:.3})");
        let by_kind: String = by_kind.iter().map(tell).collect();
        println!("{name:<10} {count:>8}{by_kind}");
    }
    Ok(())
}

pub(crate) fn train(options: &LearnOptions) -> Result<(), Failure> {
    options.run(Daihinmin)
}
