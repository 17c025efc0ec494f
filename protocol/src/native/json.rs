//! JSON from outside, with a limit of depth.

use serde_json::Value;

/// Arrays and objects that may lie within each other in one line.
pub const DEPTH_LIMIT: usize = 16;

/// Why a line is no message.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// Arrays and objects lie too deep within each other.
    #[error("arrays and objects lie more than {DEPTH_LIMIT} deep within each other")]
    TooDeep,
    /// It is no JSON.
    #[error("the line is no JSON: {0}")]
    Json(String),
    /// It is JSON, but no object.
    #[error("the line is no JSON object")]
    NoObject,
    /// It has no type.
    #[error("the object has no \"type\" that is a string")]
    NoType,
    /// There is no such type.
    #[error("there is no message of type \"{0}\" from this side")]
    UnknownType(String),
    /// A field is missing or is not what it should be.
    #[error("a message of type \"{kind}\": {reason}")]
    Field {
        /// The type.
        kind: String,
        /// What is wrong.
        reason: String,
    },
}

/// Longest text of a client that is repeated in an error, in characters.
const MOST_REPEATED: usize = 40;

/// The first characters of a text, to be repeated in an error.
pub(super) fn shortened(text: &str) -> String {
    text.chars().take(MOST_REPEATED).collect()
}

/// Reads one line of JSON.
///
/// # Errors
/// When it is no JSON or deeper than [`DEPTH_LIMIT`].
pub fn parse(line: &[u8]) -> Result<Value, Malformed> {
    if depth(line) > DEPTH_LIMIT {
        return Err(Malformed::TooDeep);
    }
    serde_json::from_slice(line).map_err(|e| Malformed::Json(e.to_string()))
}

pub(super) fn typed(line: &[u8]) -> Result<(String, Value), Malformed> {
    let value = parse(line)?;
    if !value.is_object() {
        return Err(Malformed::NoObject);
    }
    match value.get("type").and_then(Value::as_str) {
        Some(kind) => Ok((kind.to_owned(), value)),
        None => Err(Malformed::NoType),
    }
}

/// Reads a line as a message of one of the types `known`.
///
/// # Errors
/// When it is no JSON, of no such type, or no message of its type.
pub fn read_line<M: serde::de::DeserializeOwned>(
    line: &[u8],
    known: &[&str],
) -> Result<M, Malformed> {
    let (kind, value) = typed(line)?;
    if !known.contains(&kind.as_str()) {
        return Err(Malformed::UnknownType(shortened(&kind)));
    }
    serde_json::from_value(value).map_err(|e| Malformed::Field {
        kind,
        reason: shortened_reason(&e.to_string()),
    })
}

/// What serde says of a field may repeat all of it.
fn shortened_reason(reason: &str) -> String {
    reason.chars().take(4 * MOST_REPEATED).collect()
}

/// How many brackets are open at once, strings left out.
fn depth(line: &[u8]) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for &byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                open += 1;
                most = most.max(open);
            }
            b']' | b'}' if !in_string => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_brackets_outside_strings() {
        assert_eq!(depth(b"1"), 0);
        assert_eq!(depth(br#"{"a":[1,{}],"b":[]}"#), 3);
        assert_eq!(depth(br#"{"a":"[[[\"[[","b\\":"}"}"#), 1);
        assert_eq!(depth(b"]]]["), 1);
    }

    #[test]
    fn the_limit_of_depth_is_exact() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(parse(nested(DEPTH_LIMIT).as_bytes()).is_ok());
        let deep = parse(nested(DEPTH_LIMIT + 1).as_bytes());
        assert_eq!(deep, Err(Malformed::TooDeep));
        assert_eq!(
            parse("[".repeat(60_000).as_bytes()),
            Err(Malformed::TooDeep)
        );
    }
}
