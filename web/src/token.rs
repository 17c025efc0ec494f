//! Secrets and names that are drawn.

use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rand::TryRng as _;
use rand::rngs::SysRng;
use serde::{Deserialize, Serialize};

/// The secret of a seat: 128 bits of the system's randomness, in the link's fragment and nowhere else.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Token(u128);

impl Token {
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

impl From<Token> for String {
    fn from(token: Token) -> String {
        token.to_string()
    }
}

impl TryFrom<String> for Token {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Token, &'static str> {
        Token::read(&text).ok_or("a token has 32 hexadecimal digits")
    }
}

/// A token is never logged.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Tokens that pages were given for a link and have not sat with; the oldest are forgotten.
const MOST_GIVEN: usize = 64;

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Key {
    /// The token of the person that makes the table.
    Own(Token),
    /// A seat for another person. The person that makes the table knows the link, so the link lets no page sit: a page is
    /// given a token of its own for it, as often as one asks, since an answer may be lost on its way.
    Link { link: Token, given: VecDeque<Token> },
    /// The same seat once a page has sat with such a token, which alone opens it from then on. The link and the tokens that
    /// other pages were given for it are spent.
    Used {
        link: Token,
        own: Token,
        spent: VecDeque<Token>,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Turned {
    Opens,
    /// It is that of the link: this one is given for it.
    Gives(Token),
    /// It is that of the link, or was given for it, and another page has used the link.
    Spent,
}

impl Key {
    /// The key of a seat for the person that makes the table.
    pub(crate) fn own() -> Key {
        Key::Own(Token::draw())
    }

    /// The key of a seat for another person, that gets a link to it.
    pub(crate) fn link() -> Key {
        Key::Link {
            link: Token::draw(),
            given: VecDeque::new(),
        }
    }

    /// The token that the person that makes the table is told.
    pub(crate) fn first(&self) -> Token {
        match self {
            Key::Own(token) => *token,
            Key::Link { link, .. } | Key::Used { link, .. } => *link,
        }
    }

    /// Whether a token lets its page sit, without a change of the key.
    pub(crate) fn opens(&self, token: Token) -> bool {
        match self {
            Key::Own(own) | Key::Used { own, .. } => own.is_same(token),
            Key::Link { .. } => false,
        }
    }

    /// Whether it is that of the person that makes the table.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self, Key::Own(_))
    }

    /// Whether it is that of a seat for another person, and no page has sat there.
    pub(crate) fn is_free(&self) -> bool {
        matches!(self, Key::Link { .. })
    }

    /// How many pages were given a token for it and may still sit.
    pub(crate) fn given(&self) -> usize {
        match self {
            Key::Link { given, .. } => given.len(),
            Key::Own(_) | Key::Used { .. } => 0,
        }
    }

    /// Tries a token; `None` where it is none of this seat.
    pub(crate) fn turn(&mut self, token: Token) -> Option<Turned> {
        match self {
            Key::Own(own) => own.is_same(token).then_some(Turned::Opens),
            Key::Link { link, given } if link.is_same(token) => {
                if given.len() == MOST_GIVEN {
                    given.pop_front();
                }
                let own = Token::draw();
                given.push_back(own);
                Some(Turned::Gives(own))
            }
            Key::Link { link, given } => {
                let own = *given.iter().find(|given| given.is_same(token))?;
                *self = Key::Used {
                    link: *link,
                    own,
                    spent: mem::take(given),
                };
                Some(Turned::Opens)
            }
            Key::Used { own, .. } if own.is_same(token) => Some(Turned::Opens),
            Key::Used { link, spent, .. } => {
                let is_spent = link.is_same(token) || spent.iter().any(|one| one.is_same(token));
                is_spent.then_some(Turned::Spent)
            }
        }
    }
}

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
    fn a_link_opens_its_seat_for_the_first_page_that_sits_with_a_token_of_its_own() {
        let mut key = Key::link();
        let link = key.first();
        let ask = |key: &mut Key| match key.turn(link) {
            Some(Turned::Gives(own)) => own,
            other => panic!("{other:?}"),
        };
        // The first answer is lost.
        let [lost, mine, late] = [(); 3].map(|()| ask(&mut key));
        assert!(key.turn(Token::draw()).is_none());
        assert!(!key.opens(mine) && !key.opens(link));
        assert!(matches!(key.turn(mine), Some(Turned::Opens)));
        assert!(key.opens(mine) && !key.opens(lost) && !key.opens(link) && !key.is_own());
        for other in [lost, late, link] {
            assert!(matches!(key.turn(other), Some(Turned::Spent)));
        }
        assert!(key.turn(Token::draw()).is_none());
        // The seat goes on at the next table.
        let mut next = key.clone();
        assert!(matches!(next.turn(mine), Some(Turned::Opens)));
        assert!(next.first().is_same(link));
        let mut key = Key::link();
        let link = key.first();
        for _ in 0..=MOST_GIVEN {
            key.turn(link);
        }
        assert!(matches!(&key, Key::Link { given, .. } if given.len() == MOST_GIVEN));
        let mut own = Key::own();
        let token = own.first();
        for _ in 0..2 {
            assert!(matches!(own.turn(token), Some(Turned::Opens)));
        }
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
