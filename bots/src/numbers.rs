//! Weights as text: numbers between blanks, and lines of comment that begin with `#`.

use std::str::FromStr;

/// Why a text does not hold the numbers that are wanted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NumbersError {
    /// A word is not a finite number.
    #[error("{file}, line {line}: `{word}` is not a number")]
    Word {
        file: &'static str,
        line: usize,
        word: String,
    },
    /// There are too many numbers or too few.
    #[error("{file}: {found} numbers where {wanted} are wanted")]
    Count {
        file: &'static str,
        found: usize,
        wanted: usize,
    },
}

/// Reads exactly `wanted` numbers from the text of a file. A word that is not a number is an error: if it were left
/// out, all numbers behind it would take the place of others.
pub(crate) fn numbers<T: FromStr + Copy + Into<f64>>(
    file: &'static str,
    text: &str,
    wanted: usize,
) -> Result<Vec<T>, NumbersError> {
    let mut numbers = Vec::with_capacity(wanted);
    for (line, content) in (1..).zip(text.lines()).filter(|(_, l)| !l.starts_with('#')) {
        for word in content.split_whitespace() {
            let number = word.parse::<T>().ok();
            let number = number.filter(|&number| number.into().is_finite());
            numbers.push(number.ok_or_else(|| NumbersError::Word {
                file,
                line,
                word: word.to_owned(),
            })?);
        }
    }
    let found = numbers.len();
    if found == wanted {
        Ok(numbers)
    } else {
        Err(NumbersError::Count {
            file,
            found,
            wanted,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_no_number_is_an_error_with_its_line() {
        let read = |text| numbers::<f32>("some.txt", text, 3);
        assert_eq!(read("# of x\n1 -2\n0.5\n"), Ok(vec![1.0, -2.0, 0.5]));
        for (text, message) in [
            (
                "1\n# of x\ntwo\n3",
                "some.txt, line 3: `two` is not a number",
            ),
            ("1 2 NaN", "some.txt, line 1: `NaN` is not a number"),
            ("1 2", "some.txt: 2 numbers where 3 are wanted"),
            ("1 2 3 4", "some.txt: 4 numbers where 3 are wanted"),
        ] {
            assert_eq!(
                read(text).map_err(|e| e.to_string()),
                Err(message.to_owned())
            );
        }
    }
}
