//! The weights of pairs of features, and preferences from them.
//!
//! A preference is `h = theta . x` with `x` the 7,503 conjunctions `s_i s_j`, `i >= j`, of the 122
//! features: the sum of `theta_ij` over all pairs of active features, each with itself included.
//! The weights are kept as a full symmetric table, so that all pairs with one feature lie in a row.
//!
//! Files of weights are `NumPy` arrays of little-endian 64-bit floats, in the layout of the paper's author
//! (8,128 elements) or of the paper (7,503 elements).
//!
//! The author's code has 127 inputs: three planes of 42 and the constant 1 as input 126. In a plane 0..36
//! are squares (plane 0 own blue, 1 own red, 2 enemy), 36..40 the captured counts of enemy blue,
//! enemy red, own blue, own red, where a count of n shows in plane n - 1, and in plane 0 40 is the
//! capture and 41 the escape. Element `i(i+1)/2 + j` belongs to inputs i >= j. A feature with the
//! constant is the same as the feature with itself, so the two weights are one in [`Weights`].

use std::io::Write as _;
use std::path::Path;

use super::features::{FEATURES, Feature};
use crate::{FileError, whole_file};

pub const PAIRS: usize = FEATURES * (FEATURES + 1) / 2;

const ROW: usize = 128;

#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    rows: Box<[[f64; ROW]; ROW]>,
}

impl Default for Weights {
    fn default() -> Self {
        Self::zero()
    }
}

impl Weights {
    pub fn zero() -> Self {
        let rows = vec![[0.0; ROW]; ROW].into_boxed_slice();
        match rows.try_into() {
            Ok(rows) => Self { rows },
            Err(_) => unreachable!("the rows were counted"),
        }
    }

    /// The weights with these values for the pairs, element `i(i+1)/2 + j`.
    ///
    /// # Panics
    /// Unless there are [`PAIRS`] values.
    pub fn from_pairs(values: &[f64]) -> Self {
        assert_eq!(values.len(), PAIRS, "one weight for each pair");
        let mut weights = Self::zero();
        let mut next = values.iter();
        for i in 0..FEATURES {
            for (j, &value) in (0..=i).zip(&mut next) {
                weights.rows[i][j] = value;
                weights.rows[j][i] = value;
            }
        }
        weights
    }

    /// The weights of the pairs, element `i(i+1)/2 + j`.
    pub fn pairs(&self) -> Vec<f64> {
        (0..FEATURES)
            .flat_map(|i| self.rows[i][..=i].iter().copied())
            .collect()
    }

    #[inline]
    pub fn row(&self, feature: Feature) -> &[f64; ROW] {
        &self.rows[usize::from(feature) & (ROW - 1)]
    }

    #[inline]
    pub fn pair(&self, a: Feature, b: Feature) -> f64 {
        self.row(a)[usize::from(b) & (ROW - 1)]
    }

    /// Adds to the weight of a pair of different features.
    #[inline]
    pub fn add_pair(&mut self, a: Feature, b: Feature, value: f64) {
        let (a, b) = (usize::from(a) & (ROW - 1), usize::from(b) & (ROW - 1));
        self.rows[a][b] += value;
        self.rows[b][a] += value;
    }

    /// Adds to the weight of a feature with itself.
    #[inline]
    pub fn add_single(&mut self, feature: Feature, value: f64) {
        let i = usize::from(feature) & (ROW - 1);
        self.rows[i][i] += value;
    }

    /// The preference of an after-state: the sum over all pairs of its features.
    pub fn preference(&self, active: &[Feature]) -> f64 {
        let mut sum = 0.0;
        for (n, &i) in active.iter().enumerate() {
            let row = self.row(i);
            for &j in &active[..=n] {
                sum += row[usize::from(j) & (ROW - 1)];
            }
        }
        sum
    }

    /// All weights times a factor, as for a softmax at a temperature of one by the factor.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        let weights = self.rows.iter_mut().flatten();
        weights.for_each(|weight| *weight *= factor);
        self
    }

    /// Length of the weights as a vector in the layout of the paper's author, in which the weight of a
    /// feature with itself is the sum of two equal ones.
    pub fn author_norm(&self) -> f64 {
        let mut sum = 0.0;
        for i in 0..FEATURES {
            sum += self.rows[i][i] * self.rows[i][i] / 2.0;
            sum += self.rows[i][..i].iter().map(|v| v * v).sum::<f64>();
        }
        sum.sqrt()
    }

    pub fn is_finite(&self) -> bool {
        self.rows.iter().flatten().all(|v| v.is_finite())
    }
}

const INPUTS: usize = 127;
const CONSTANT: usize = 126;
const AUTHOR: usize = INPUTS * (INPUTS + 1) / 2;

fn input(feature: usize) -> usize {
    match feature {
        0..108 => feature / 36 * 42 + feature % 36,
        108..120 => (feature - 108) % 3 * 42 + 36 + (feature - 108) / 3,
        _ => 40 + (feature - 120),
    }
}

fn element(a: usize, b: usize) -> usize {
    let (i, j) = (a.max(b), a.min(b));
    i * (i + 1) / 2 + j
}

impl Weights {
    /// From the author's 8,128 elements: `theta(i,i) + theta(126,i)` becomes the weight of a feature with
    /// itself, what belongs to dead inputs is dropped.
    ///
    /// # Panics
    /// Unless there are 8,128 values.
    pub fn from_author(values: &[f64]) -> Self {
        assert_eq!(
            values.len(),
            AUTHOR,
            "the author's layout has 8,128 elements"
        );
        let mut pairs = Vec::with_capacity(PAIRS);
        for i in 0..FEATURES {
            for j in 0..=i {
                let own = values[element(input(i), input(j))];
                let constant = if i == j {
                    values[element(CONSTANT, input(i))]
                } else {
                    0.0
                };
                pairs.push(own + constant);
            }
        }
        Self::from_pairs(&pairs)
    }

    /// The author's 8,128 elements; the weight of a feature with itself is shared equally with the constant,
    /// as training from zero shares it.
    pub fn author_layout(&self) -> Vec<f64> {
        let mut values = vec![0.0; AUTHOR];
        let pairs = self.pairs();
        for i in 0..FEATURES {
            for j in 0..=i {
                let value = pairs[element(i, j)];
                if i == j {
                    values[element(input(i), input(i))] = value / 2.0;
                    values[element(CONSTANT, input(i))] = value / 2.0;
                } else {
                    values[element(input(i), input(j))] = value;
                }
            }
        }
        values
    }

    pub fn paper() -> Self {
        shipped(include_bytes!("../../../models/geister/paper.npy"))
    }

    /// The weights of the strongest policy, `models/geister/policy.npy`.
    pub fn strongest() -> Self {
        shipped(include_bytes!("../../../models/geister/policy.npy"))
    }

    /// Reads a `.npy` file with 8,128 or 7,503 elements.
    ///
    /// # Errors
    /// If the file cannot be read, is not a one-dimensional array of that many little-endian 64-bit
    /// floats, or holds a value that is not finite.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        FileError::read(path, |bytes| {
            let values = parse(bytes)?;
            let weights = match values.len() {
                AUTHOR => Self::from_author(&values),
                PAIRS => Self::from_pairs(&values),
                n => {
                    return Err(format!(
                        "{n} elements; a file of weights has {AUTHOR} (the author's layout) or {PAIRS}"
                    ));
                }
            };
            if weights.is_finite() {
                Ok(weights)
            } else {
                Err("a weight is not a finite number".to_owned())
            }
        })
    }

    /// Writes a `.npy` file in the author's layout. The file appears whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        FileError::of(path, |path| {
            write_array(path, &self.author_layout()).map_err(|error| error.to_string())
        })
    }
}

fn shipped(file: &[u8]) -> Weights {
    match parse(file) {
        Ok(values) if values.len() == AUTHOR => Weights::from_author(&values),
        _ => unreachable!("the shipped weights are read in the tests"),
    }
}

pub(super) fn write_array(path: &Path, values: &[f64]) -> std::io::Result<()> {
    let mut header = format!(
        "{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}",
        values.len()
    );
    while (10 + header.len()) % 64 != 63 {
        header.push(' ');
    }
    header.push('\n');
    // NumPy's own files of this size have 128 bytes before the data, which some readers skip blindly.
    while 10 + header.len() < 128 {
        header.insert_str(header.len() - 1, &" ".repeat(64));
    }
    let mut bytes = Vec::with_capacity(128 + 8 * values.len());
    bytes.extend_from_slice(b"\x93NUMPY\x01\x00");
    bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    for value in values {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    whole_file::save(path, |file| file.write_all(&bytes))
}

pub(super) fn parse(bytes: &[u8]) -> Result<Vec<f64>, String> {
    let rest = bytes
        .strip_prefix(b"\x93NUMPY")
        .ok_or("not a NumPy file (.npy)")?;
    let (header, data) = match rest {
        [1, _, low, high, rest @ ..] => {
            split(rest, usize::from(u16::from_le_bytes([*low, *high])))?
        }
        [2 | 3, _, a, b, c, d, rest @ ..] => {
            split(rest, u32::from_le_bytes([*a, *b, *c, *d]) as usize)?
        }
        _ => return Err("a version of the NumPy format that is not known".to_owned()),
    };
    let header = String::from_utf8_lossy(header).replace(' ', "");
    if !header.contains("'descr':'<f8'") {
        return Err("the elements must be little-endian 64-bit floats (<f8)".to_owned());
    }
    let shape = header
        .split_once("'shape':(")
        .and_then(|(_, rest)| rest.split_once(')'))
        .map(|(shape, _)| shape.trim_end_matches(',').to_owned())
        .ok_or("the header names no shape")?;
    let count: usize = shape
        .parse()
        .map_err(|_| format!("shape ({shape}); one dimension is wanted"))?;
    if count.checked_mul(8) != Some(data.len()) {
        return Err(format!(
            "{} bytes of data for {count} elements: the file is cut or has been changed",
            data.len()
        ));
    }
    let (elements, _) = data.as_chunks();
    Ok(elements
        .iter()
        .map(|element| f64::from_le_bytes(*element))
        .collect())
}

fn split(bytes: &[u8], at: usize) -> Result<(&[u8], &[u8]), String> {
    bytes
        .split_at_checked(at)
        .ok_or_else(|| "the header is cut".to_owned())
}
