//! Secrets and names that are drawn.

use std::fmt;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rand::TryRng as _;
use rand::rngs::SysRng;

/// The secret of a seat: 128 bits of the system's randomness, in the link's fragment and nowhere else.
#[derive(Clone, Copy)]
pub struct Token(u128);

impl Token {
    /// A token that nobody can guess.
    pub(crate) fn draw() -> Token {
        Token(u128::from(drawn()) << 64 | u128::from(drawn()))
    }

    /// Reads what a token prints: 32 hexadecimal digits.
    pub(crate) fn read(text: &str) -> Option<Token> {
        let is_whole = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        u128::from_str_radix(text, 16)
            .ok()
            .filter(|_| is_whole)
            .map(Token)
    }

    /// Whether two tokens are the same, in a time that says nothing of where they differ.
    pub(crate) fn is_same(self, other: Token) -> bool {
        self.0 ^ other.0 == 0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A token is never logged.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// How long a code is of use.
const CODE_LIMIT: Duration = Duration::from_mins(1);

/// Codes that lead to a place once, each as secret as a token.
#[derive(Default)]
pub(crate) struct Codes(Mutex<Vec<(Token, Instant, String)>>);

impl Codes {
    /// A code that leads to a place from now on.
    pub(crate) fn give(&self, place: String, now: Instant) -> Token {
        let code = Token::draw();
        let mut codes = self.0.lock().expect("nothing panics with the codes");
        codes.push((code, now, place));
        code
    }

    /// Where a code leads; `None` where it is none, has led there, or is too old.
    pub(crate) fn take(&self, code: Token, now: Instant) -> Option<String> {
        let mut codes = self.0.lock().expect("nothing panics with the codes");
        codes.retain(|(_, since, _)| now.duration_since(*since) <= CODE_LIMIT);
        let at = codes.iter().position(|(own, ..)| own.is_same(code))?;
        Some(codes.swap_remove(at).2)
    }
}

/// A name for a table, one of its kind.
pub(crate) fn draw_name() -> String {
    format!("{:012x}", drawn() >> 16)
}

fn drawn() -> u64 {
    SysRng.try_next_u64().expect("the system has randomness")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_leads_to_its_place_once_and_within_a_minute() {
        let codes = Codes::default();
        let now = Instant::now();
        let [first, second] = ["/a", "/b"].map(|place| codes.give(place.to_owned(), now));
        assert_eq!(codes.take(Token::draw(), now), None);
        assert_eq!(codes.take(first, now).as_deref(), Some("/a"));
        assert_eq!(codes.take(first, now), None);
        assert_eq!(codes.take(second, now + CODE_LIMIT * 2), None);
    }

    #[test]
    fn tokens_read_what_they_print() {
        let token = Token::draw();
        let read = Token::read(&token.to_string()).expect("a token");
        assert!(token.is_same(read) && !token.is_same(Token::draw()));
        assert_eq!(format!("{token:?}"), "Token");
        for text in [
            "",
            "0",
            "+0123456789abcdef0123456789abcde",
            "0123456789abcdef0123456789abcdeg",
        ] {
            assert!(Token::read(text).is_none(), "{text}");
        }
    }
}
