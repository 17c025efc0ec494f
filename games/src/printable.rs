//! Text from outside, as it may be shown.

use std::fmt::{self, Display, Formatter, Write};

/// Text from a file, a network or a command line as it may be shown on a terminal or stand in a log, a table or a page: a
/// letter that is not [printable](is_printable) appears as its escape in JSON, so that it neither commands a terminal nor
/// hides, and JSON stays the same value.
///
/// `{}` makes one line of it; `{:#}` keeps line ends and tabs, for text of several lines.
///
/// ```
/// use taikyoku_games::Printable;
///
/// assert_eq!(Printable("\u{1b}[2J将\u{202e}\n").to_string(), r"\u001b[2J将\u202e\n");
/// assert_eq!(format!("{:#}", Printable("two\tlines\r\n\u{e0041}")), "two\tlines\\r\n\\udb40\\udc41");
/// assert_eq!(format!("{:>4}{:<4.1}|", Printable("a"), Printable("bc")), "   ab   |");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Printable<T>(pub T);

impl<T: Display> Display for Printable<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let keeps_lines = f.alternate();
        if f.width().is_none() && f.precision().is_none() {
            return write!(
                Escaped {
                    out: f,
                    keeps_lines
                },
                "{}",
                self.0
            );
        }
        let mut text = String::new();
        let out = &mut text;
        write!(Escaped { out, keeps_lines }, "{}", self.0)?;
        f.pad(&text)
    }
}

/// Whether a letter shows as itself where it stands: it is no control character, no separator of lines or paragraphs, does
/// not turn the direction of writing, and is not invisible (`Default_Ignorable_Code_Point` of the Unicode Standard without
/// the selectors of variants, which belong to the letter before them).
pub fn is_printable(c: char) -> bool {
    let is_hidden = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}');
    !(c.is_control() || is_hidden)
}

struct Escaped<'a, W: ?Sized> {
    out: &'a mut W,
    keeps_lines: bool,
}

impl<W: Write + ?Sized> Write for Escaped<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let keeps = |c| is_printable(c) || self.keeps_lines && matches!(c, '\n' | '\t');
        let mut rest = text;
        while let Some(at) = rest.find(|c| !keeps(c)) {
            self.out.write_str(&rest[..at])?;
            let mut letters = rest[at..].chars();
            match letters.next() {
                Some('\n') => self.out.write_str("\\n")?,
                Some('\t') => self.out.write_str("\\t")?,
                Some('\r') => self.out.write_str("\\r")?,
                Some(letter) => {
                    for unit in letter.encode_utf16(&mut [0; 2]) {
                        write!(self.out, "\\u{unit:04x}")?;
                    }
                }
                None => {}
            }
            rest = letters.as_str();
        }
        self.out.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_told_from_what_is_shown() {
        let hidden = "\0\u{7}\u{1b}\u{7f}\u{9b}\u{ad}\u{200b}\u{200d}\u{200e}\u{2028}\u{202e}\u{2066}\u{2069}\u{feff}";
        assert!(!hidden.chars().any(is_printable));
        let shown = "a ~é将棋葛\u{e0100}☀\u{fe0f}👍🏽\u{a0}\u{3000}ابجد";
        assert!(shown.chars().all(is_printable));
    }
}
