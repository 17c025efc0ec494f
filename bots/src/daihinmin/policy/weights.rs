//! The weights of the playout policy and their file.

use std::path::Path;

use super::features::{Active, FEATURES};

/// Weights of the policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights(Box<[f32; FEATURES + 1]>);

impl Weights {
    /// All zero: the uniform policy.
    pub fn zero() -> Weights {
        Weights(Box::new([0.0; FEATURES + 1]))
    }

    /// Returns the weights shipped with the project.
    ///
    /// # Panics
    /// When the shipped file is damaged.
    pub fn built_in() -> Weights {
        let bytes = include_bytes!("../../../../models/daihinmin/policy.f32");
        Weights::from_bytes(bytes).expect("the shipped weights are whole")
    }

    /// Reads little-endian 32-bit floats.
    ///
    /// # Errors
    /// When their number is not [`FEATURES`] or one is not finite.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, String> {
        if bytes.len() != 4 * FEATURES {
            return Err(format!(
                "{} bytes where {} ({FEATURES} weights) are wanted",
                bytes.len(),
                4 * FEATURES
            ));
        }
        let mut weights = Weights::zero();
        for (weight, b) in weights.0.iter_mut().zip(bytes.chunks_exact(4)) {
            *weight = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        }
        match weights.0.iter().position(|w| !w.is_finite()) {
            Some(i) => Err(format!("weight {i} is not a number")),
            None => Ok(weights),
        }
    }

    /// Reads a weights file.
    ///
    /// # Errors
    /// When the file cannot be read or is not as [`Weights::from_bytes`] wants it.
    pub fn read(path: &Path) -> Result<Weights, String> {
        let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
        Weights::from_bytes(&bytes)
    }

    /// The weights as little-endian 32-bit floats.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0[..FEATURES]
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect()
    }

    pub(crate) fn values_mut(&mut self) -> &mut [f32] {
        &mut self.0[..FEATURES]
    }

    #[inline]
    pub(crate) fn logit(&self, active: &Active) -> f32 {
        active
            .iter()
            .map(|&i| self.0[usize::from(i).min(FEATURES)])
            .sum()
    }
}
