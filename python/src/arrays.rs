//! Arrays of numpy, through the buffers that it gives to other programs.

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyValueError;
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
/// `ValueError` if `out` has another shape or another type, `BufferError` if it cannot be written.
pub(crate) fn array<'py, T: Number>(
    py: Python<'py>,
    shape: &[usize],
    numbers: &[T],
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let array = match out {
        Some(out) => {
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

/// The whole numbers of an array, or of anything that numpy makes one of.
///
/// # Errors
/// What numpy says; `TypeError` if they are no whole numbers.
pub(crate) fn whole_numbers(numbers: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    let py = numbers.py();
    let array = py.import("numpy")?.call_method1("asarray", (numbers,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "i" | "u") {
        return Err(pyo3::exceptions::PyTypeError::new_err(
            "actions are whole numbers",
        ));
    }
    let array = array.call_method1("astype", ("int64",))?;
    PyBuffer::<i64>::get(&array)?.to_vec(py)
}
