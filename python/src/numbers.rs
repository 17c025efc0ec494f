//! Numbers that Python passes, with errors in its words.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// A whole number, of any size that a mistake may have; a flag is none.
#[derive(Clone, Copy)]
pub(crate) struct Whole(pub(crate) i128);

impl FromPyObject<'_, '_> for Whole {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<Whole> {
        let py = value.py();
        let number = || match value.extract::<i64>() {
            // A cast of i128 is slow.
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
                "a whole number is wanted, and not one of the type {}",
                value.get_type().name()?
            ))),
        }
    }
}

/// A seed.
#[derive(Clone, Copy)]
pub(crate) struct Seed(pub(crate) u64);

impl FromPyObject<'_, '_> for Seed {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<Seed> {
        let Whole(number) = value.extract()?;
        let seed = u64::try_from(number).map_err(|_| {
            PyValueError::new_err(format!(
                "a seed is a number from 0 to 2^64 - 1, not {number}"
            ))
        })?;
        Ok(Seed(seed))
    }
}
