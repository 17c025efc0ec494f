//! Text to trees.

use std::iter::Peekable;
use std::str::{Chars, FromStr};

use super::error::Location;
use super::{Node, NodeId, SgfError, SgfErrorKind, Tree};

/// How deep variations may lie within variations.
pub const DEPTH_LIMIT: usize = 1_000;

/// How many properties a node that is read may have.
pub const PROPERTY_LIMIT: usize = 256;

struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
    location: Location,
}

/// A `(` that is open.
struct Level {
    /// The node before it, then the last node in it.
    last: Option<NodeId>,
    /// Whether a node of its own has come.
    begun: bool,
    /// Whether a variation has come, after which no node of its own may.
    forked: bool,
}

impl Reader<'_> {
    fn new(text: &str) -> Reader<'_> {
        Reader {
            chars: text
                .strip_prefix('\u{feff}')
                .unwrap_or(text)
                .chars()
                .peekable(),
            location: Location { line: 1, column: 1 },
        }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        if c == '\n' {
            self.location.line += 1;
            self.location.column = 1;
        } else {
            self.location.column += 1;
        }
        Some(c)
    }

    /// The next character that is not white space, still to be taken.
    fn peek(&mut self) -> Option<char> {
        while self.chars.peek()?.is_whitespace() {
            self.next();
        }
        self.chars.peek().copied()
    }

    /// An error about the next character.
    fn wrong(&mut self, expected: &'static str) -> SgfError {
        self.location.error(match self.chars.peek() {
            Some(&found) => SgfErrorKind::Expected { expected, found },
            None => SgfErrorKind::End(expected),
        })
    }

    fn take(&mut self, c: char, expected: &'static str) -> Result<(), SgfError> {
        if self.peek() == Some(c) {
            self.next();
            return Ok(());
        }
        Err(self.wrong(expected))
    }

    fn tree(&mut self) -> Result<Tree, SgfError> {
        self.take('(', "`(`")?;
        let mut tree = Tree::new();
        let mut levels = vec![Level {
            last: None,
            begun: false,
            forked: false,
        }];
        while let Some(level) = levels.last_mut() {
            match self.peek() {
                Some(';') if !level.forked => {
                    self.next();
                    let id = level.last.map_or(Tree::ROOT, |parent| tree.add(parent));
                    level.last = Some(id);
                    level.begun = true;
                    self.properties(tree.node_mut(id))?;
                }
                Some('(') if level.begun => {
                    level.forked = true;
                    let last = level.last;
                    if levels.len() == DEPTH_LIMIT {
                        return Err(self.location.error(SgfErrorKind::Depth));
                    }
                    self.next();
                    levels.push(Level {
                        last,
                        begun: false,
                        forked: false,
                    });
                }
                Some(')') if level.begun => {
                    self.next();
                    levels.pop();
                }
                _ if !level.begun => return Err(self.wrong("`;`")),
                _ if level.forked => return Err(self.wrong("`(` or `)`")),
                _ => return Err(self.wrong("a property, `;`, `(` or `)`")),
            }
        }
        Ok(tree)
    }

    fn properties(&mut self, node: &mut Node) -> Result<(), SgfError> {
        let mut name = String::new();
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
            let location = self.location;
            name.clear();
            while let Some(c) = self.chars.peek().filter(|c| c.is_ascii_alphanumeric()) {
                name.push(*c);
                self.next();
            }
            self.take('[', "`[`")?;
            let mut values = vec![self.value()?];
            while self.peek() == Some('[') {
                self.next();
                values.push(self.value()?);
            }
            node.add_at(&name, values, location);
            if node.properties().len() > PROPERTY_LIMIT {
                return Err(location.error(SgfErrorKind::Properties));
            }
        }
        Ok(())
    }

    /// Takes the second half of a line end of two characters.
    fn line_end(&mut self, first: char) {
        let second = if first == '\r' { '\n' } else { '\r' };
        if self.chars.peek() == Some(&second) {
            self.next();
        }
    }

    /// What stands up to the next `]`, whose `[` has been taken.
    fn value(&mut self) -> Result<String, SgfError> {
        let mut value = String::new();
        loop {
            let escaped = self.chars.peek() == Some(&'\\');
            if escaped {
                self.next();
            }
            let Some(c) = self.next() else {
                return Err(self.wrong("`]`"));
            };
            match c {
                ']' if !escaped => return Ok(value),
                '\n' | '\r' => {
                    self.line_end(c);
                    // An escaped line end only breaks the text's line.
                    if !escaped {
                        value.push('\n');
                    }
                }
                '\t' | '\u{b}' | '\u{c}' => value.push(' '),
                c => value.push(c),
            }
        }
    }
}

impl Tree {
    /// Reads the trees of a text that holds several games, one after the other.
    ///
    /// # Errors
    /// When the text holds no tree or something else than trees, and where.
    pub fn read_all(text: &str) -> Result<Vec<Tree>, SgfError> {
        let mut reader = Reader::new(text);
        let mut trees = vec![reader.tree()?];
        while reader.peek().is_some() {
            trees.push(reader.tree()?);
        }
        Ok(trees)
    }

    /// Reads a file's bytes, which must be UTF-8.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn from_bytes(bytes: &[u8]) -> Result<Tree, SgfError> {
        std::str::from_utf8(bytes)
            .map_err(|error| {
                let mut reader = Reader {
                    location: Location { line: 1, column: 1 },
                    chars: std::str::from_utf8(&bytes[..error.valid_up_to()])
                        .unwrap_or_default()
                        .chars()
                        .peekable(),
                };
                while reader.next().is_some() {}
                reader.location.error(SgfErrorKind::Encoding)
            })?
            .parse()
    }
}

/// Reads a text of one game. Only the form is checked, not the properties.
impl FromStr for Tree {
    type Err = SgfError;

    fn from_str(text: &str) -> Result<Tree, SgfError> {
        let mut reader = Reader::new(text);
        let tree = reader.tree()?;
        match reader.peek() {
            None => Ok(tree),
            Some(_) => Err(reader.wrong("the end of the text")),
        }
    }
}
