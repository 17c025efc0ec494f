//! Numbers from Python, with Python's errors.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// An integer, with room for values out of range, so that errors can name them; a `bool` is refused.
#[derive(Clone, Copy)]
pub(crate) struct Whole(pub(crate) i128);

impl FromPyObject<'_, '_> for Whole {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<Whole> {
        let py = value.py();
        let number = || match value.extract::<i64>() {
            // The extraction of an `i128` is slow.
            Err(reason) if reason.is_instance_of::<PyOverflowError>(py) => value.extract::<i128>(),
            number => number.map(i128::from),
        };
        let is_flag = value.is_instance_of::<PyBool>();
        let number = if is_flag { None } else { Some(number()) };
        match number {
            Some(Ok(number)) => Ok(Whole(number)),
            Some(Err(reason)) if reason.is_instance_of::<PyOverflowError>(py) => {
                let text = format!("{} is out of range", value.str()?);
                Err(PyValueError::new_err(text))
            }
            _ => Err(PyTypeError::new_err(format!(
                "an integer is required, not {}",
                value.get_type().name()?
            ))),
        }
    }
}

/// A seed, from 0 to 2^64 - 1.
#[derive(Clone, Copy)]
pub(crate) struct Seed(pub(crate) u64);

impl FromPyObject<'_, '_> for Seed {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<Seed> {
        let Whole(number) = value.extract()?;
        let seed = u64::try_from(number).map_err(|_| {
            PyValueError::new_err(format!(
                "a seed is an integer from 0 to 2^64 - 1, not {number}"
            ))
        })?;
        Ok(Seed(seed))
    }
}
