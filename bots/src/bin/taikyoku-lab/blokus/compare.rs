//! Two networks on the positions of recorded games.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use games::blokus::{Placement, Scene};
use models::NnEngine;
use serde_json::json;
use taikyoku_bots::blokus::zero::{LeafEvaluator as _, Model, NetworkEvaluator};
use taikyoku_bots::self_play::{Archive, Record};

use crate::Failure;

#[derive(Args)]
pub(crate) struct Options {
    /// The first network, an .onnx file: this file and no other, whatever lies beside it.
    model_a: PathBuf,
    /// The second one.
    model_b: PathBuf,
    /// Files of games, as taikyoku-lab selfplay writes them.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Most positions, spread evenly over all.
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    positions: u64,
    /// What runs the networks.
    #[arg(long, default_value_t = NnEngine::Auto, value_name = "ENGINE")]
    nn_engine: NnEngine,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Sums over positions with more than one move.
#[derive(Default)]
struct Sums {
    positions: f64,
    /// Positions whose likeliest moves are the same.
    agreed: f64,
    /// Kullback-Leibler divergence of the second policy from the first, in nats.
    divergence: f64,
    /// Differences of the value of the seat to move.
    difference: f64,
    squares: f64,
    most: f64,
}

/// The softmax of logits.
fn policy(logits: &[f32]) -> Vec<f64> {
    let highest = logits.iter().copied().fold(f32::MIN, f32::max);
    let mut shares: Vec<f64> = logits
        .iter()
        .map(|logit| f64::from(logit - highest).exp())
        .collect();
    let sum: f64 = shares.iter().sum();
    for share in &mut shares {
        *share /= sum;
    }
    shares
}

/// The first of the highest.
fn likeliest(shares: &[f64]) -> Option<usize> {
    (0..shares.len()).reduce(|best, i| if shares[i] > shares[best] { i } else { best })
}

impl Sums {
    fn add(
        &mut self,
        networks: &mut [NetworkEvaluator; 2],
        scene: &Scene,
        moves: &[Placement],
    ) -> Result<(), Failure> {
        let Some(mover) = scene.board().to_move().filter(|_| moves.len() > 1) else {
            return Ok(());
        };
        let (mut policies, mut values) = (Vec::new(), Vec::new());
        for network in networks {
            let mut logits = Vec::new();
            network.clear();
            network.add(scene, moves);
            network.evaluate()?;
            values.push(network.answer(0, &mut logits)[mover.index()]);
            policies.push(policy(&logits));
        }
        let pairs = policies[0].iter().zip(&policies[1]);
        let divergence = pairs.map(|(a, b)| a * (a.max(1e-12) / b.max(1e-12)).ln());
        let difference = (values[0] - values[1]).abs();
        self.positions += 1.0;
        self.agreed += f64::from(u8::from(likeliest(&policies[0]) == likeliest(&policies[1])));
        self.divergence += divergence.sum::<f64>();
        self.difference += difference;
        self.squares += difference * difference;
        self.most = self.most.max(difference);
        Ok(())
    }
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let open = |path: &PathBuf| -> Result<NetworkEvaluator, Failure> {
        let is_quantised = path.to_string_lossy().ends_with(".int8.onnx");
        // The one named, not a faster one beside it.
        let precision = (!is_quantised).then_some(models::Precision::Fp32);
        let model = Model::open(path.clone(), options.nn_engine, precision)?;
        Ok(NetworkEvaluator::new(Arc::new(model), 0.0))
    };
    let mut networks = [open(&options.model_a)?, open(&options.model_b)?];
    let mut records: Vec<Record> = Vec::new();
    for path in &options.files {
        records.extend(Archive::read(path, "blokus")?);
    }
    let plies = records.iter().flat_map(|record| &record.plies);
    let all = plies.filter(|ply| ply.is_lesson).count() as u64;
    let step = all.div_ceil(options.positions).max(1);
    let (mut sums, mut moves, mut number) = (Sums::default(), Vec::new(), 0);
    for record in &records {
        let mut scene = Scene::new();
        for ply in &record.plies {
            let mv = Placement::new(ply.mv).ok_or("a game with a move that there is not")?;
            if ply.is_lesson {
                if number % step == 0 {
                    scene.board().legal_moves(&mut moves);
                    sums.add(&mut networks, &scene, &moves)?;
                }
                number += 1;
            }
            scene.play_unchecked(mv);
        }
    }
    if sums.positions < 1.0 {
        return Err("no position in these files has a choice".into());
    }
    let mean = |sum: f64| sum / sums.positions;
    if options.json {
        let result = json!({
            "models": [options.model_a, options.model_b],
            "positions": sums.positions,
            "top_move_agreement": mean(sums.agreed),
            "policy_divergence": mean(sums.divergence),
            "value_mean_difference": mean(sums.difference),
            "value_rms_difference": mean(sums.squares).sqrt(),
            "value_largest_difference": sums.most,
        });
        println!("{result}");
    } else {
        println!(
            "{} positions: the likeliest move is the same in {:.2} %; divergence of the policies {:.5} nats; value of the \
             seat to move {:.5} apart on average, {:.5} rms, {:.5} at most",
            sums.positions,
            100.0 * mean(sums.agreed),
            mean(sums.divergence),
            mean(sums.difference),
            mean(sums.squares).sqrt(),
            sums.most,
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_likeliest_moves_counts() {
        let shares = policy(&[1.0, 3.0, 3.0, -100.0]);
        assert_eq!(likeliest(&shares), Some(1));
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(likeliest(&[]), None);
    }
}
