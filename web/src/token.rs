//! Secrets and names that are drawn.

use std::fmt;

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
