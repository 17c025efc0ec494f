//! Arrays of numpy, through the buffers that it gives to other programs.

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{PyMemoryError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;

/// A type of numbers, with the name that numpy has for it.
pub(crate) trait Number: Element {
    const NAME: &'static str;
}

impl Number for f32 {
    const NAME: &'static str = "float32";
}
impl Number for i64 {
    const NAME: &'static str = "int64";
}
impl Number for i8 {
    const NAME: &'static str = "int8";
}
/// Flags: numpy gives their bytes away under another name only.
impl Number for u8 {
    const NAME: &'static str = "bool";
}

/// An array of a shape with these numbers in C order: `out`, where one is given, or a new one.
///
/// # Errors
/// `TypeError` if `out` is not an array, `ValueError` if its shape or element type is wrong, `BufferError` if it is
/// read-only.
pub(crate) fn array<'py, T: Number>(
    py: Python<'py>,
    shape: &[usize],
    numbers: &[T],
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let array = match out {
        Some(out) => {
            if !out.is_instance(&py.import("numpy")?.getattr("ndarray")?)? {
                return Err(PyTypeError::new_err(format!(
                    "`out` must be a NumPy array, not {}",
                    out.get_type().name()?
                )));
            }
            let found: (Vec<usize>, String) = (
                out.getattr("shape")?.extract()?,
                out.getattr("dtype")?.str()?.extract()?,
            );
            if (found.0.as_slice(), found.1.as_str()) != (shape, T::NAME) {
                return Err(PyValueError::new_err(format!(
                    "`out` has the shape {:?} and the type {}: {shape:?} and {} are wanted",
                    found.0,
                    found.1,
                    T::NAME
                )));
            }
            out.clone()
        }
        None => py
            .import("numpy")?
            .call_method1("empty", (shape.to_vec(), T::NAME))?,
    };
    let buffer = if T::NAME == "bool" {
        PyBuffer::<T>::get(&array.call_method1("view", ("uint8",))?)?
    } else {
        PyBuffer::<T>::get(&array)?
    };
    buffer.copy_from_slice(py, numbers)?;
    Ok(array)
}

/// Numbers of a buffer that is used again, all zero.
///
/// # Errors
/// `MemoryError` if there is no memory for so many.
pub(crate) fn cleared<T: Number + Default>(
    numbers: &mut Vec<T>,
    rows: usize,
    row: usize,
) -> PyResult<()> {
    numbers.clear();
    let size = rows.checked_mul(row).ok_or_else(|| no_memory(rows))?;
    numbers
        .try_reserve_exact(size)
        .map_err(|_| no_memory(rows))?;
    numbers.resize(size, T::default());
    Ok(())
}

/// The error of a batch that is too large.
pub(crate) fn no_memory(positions: usize) -> PyErr {
    PyMemoryError::new_err(format!("no memory for {positions} positions"))
}

/// The whole numbers of an array of one dimension, or of anything that numpy makes one of.
///
/// # Errors
/// What numpy says; `ValueError` if there are other dimensions, `TypeError` if they are no whole numbers, `OverflowError`
/// if one is above those of int64.
pub(crate) fn whole_numbers(numbers: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    let py = numbers.py();
    let array = py.import("numpy")?.call_method1("asarray", (numbers,))?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let [size] = shape[..] else {
        return Err(PyValueError::new_err(format!(
            "actions are an array of one dimension, and these have the shape {shape:?}"
        )));
    };
    // An empty list is one of floats.
    if size == 0 {
        return Ok(Vec::new());
    }
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "i" | "u") {
        return Err(PyTypeError::new_err("actions are whole numbers"));
    }
    let array = array.call_method1("astype", ("int64",))?;
    let numbers = PyBuffer::<i64>::get(&array)?.to_vec(py)?;
    if kind == "u" && numbers.iter().any(|&number| number < 0) {
        return Err(PyOverflowError::new_err("an action is below 2^63"));
    }
    Ok(numbers)
}
