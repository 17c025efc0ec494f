//! A record as nodes with properties: the tree, its text, and how that is read.

use std::fmt::{self, Write};
use std::iter::Peekable;
use std::str::{Chars, FromStr};

use super::error::{DEPTH_LIMIT, Location, PROPERTY_LIMIT};
use super::{SgfError, SgfErrorKind};

/// A node of a [`Tree`]; valid for the tree that gave it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodeId(pub(super) usize);

/// A property: a name and its values, with the format's escapes taken away.
#[derive(Clone, Debug)]
pub struct Property {
    pub(super) name: String,
    pub(super) values: Vec<String>,
    pub(super) location: Location,
}

impl Property {
    /// Letters and digits, such as `GM` or `1`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The values, at least one.
    pub fn values(&self) -> &[String] {
        &self.values
    }
}

/// The same name and values; where they were read does not matter.
impl PartialEq for Property {
    fn eq(&self, other: &Property) -> bool {
        self.name == other.name && self.values == other.values
    }
}

/// A node: what one `;` of the text holds, and the nodes that follow it.
#[derive(Clone, Default, Debug)]
pub struct Node {
    properties: Vec<Property>,
    parent: Option<NodeId>,
    children: Vec<NodeId>,
}

impl Node {
    /// All properties, in the order of the text, each name once.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// The values of a property; none when the node does not have it.
    pub fn values(&self, name: &str) -> &[String] {
        let property = self.properties.iter().find(|p| p.name == name);
        property.map_or(&[], |p| &p.values)
    }

    /// The first value of a property.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values(name).first().map(String::as_str)
    }

    /// Adds a value to a property, which is made when the node does not have it yet. A text keeps line
    /// feeds; reading makes line feeds of all other line ends, and blanks of other white space.
    ///
    /// # Panics
    /// When the name is empty or has other characters than ASCII letters and digits.
    pub fn add(&mut self, name: &str, value: impl Into<String>) {
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric());
        assert!(plain && !name.is_empty(), "not a property name: {name:?}");
        self.add_at(name, vec![value.into()], Location::default());
    }

    pub(super) fn add_at(&mut self, name: &str, mut values: Vec<String>, location: Location) {
        match self.properties.iter_mut().find(|p| p.name == name) {
            Some(property) => property.values.append(&mut values),
            None => self.properties.push(Property {
                name: name.to_string(),
                values,
                location,
            }),
        }
    }

    /// Gives a property this value in place of those that it had.
    ///
    /// # Panics
    /// As [`Node::add`].
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        if let Some(property) = self.properties.iter_mut().find(|p| p.name == name) {
            property.values.clear();
        }
        self.add(name, value);
    }

    /// The node before it; `None` for the root.
    pub fn parent(&self) -> Option<NodeId> {
        self.parent
    }

    /// The nodes after it: more than one are variations, the first of which is the main line.
    pub fn children(&self) -> &[NodeId] {
        &self.children
    }
}

/// A game tree: a root, and the lines from it.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree::new()
    }
}

impl Tree {
    /// The root of every tree.
    pub const ROOT: NodeId = NodeId(0);

    /// A tree of a root without properties.
    pub fn new() -> Tree {
        Tree {
            nodes: vec![Node::default()],
        }
    }

    /// A node.
    ///
    /// # Panics
    /// When another, larger tree gave the id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// A node, to add properties.
    ///
    /// # Panics
    /// When another, larger tree gave the id.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0]
    }

    /// Adds an empty node after another one, as its last variation.
    ///
    /// # Panics
    /// When another, larger tree gave the id.
    pub fn add(&mut self, parent: NodeId) -> NodeId {
        self.add_at(parent, self.nodes[parent.0].children.len())
    }

    /// Adds an empty node after another one, as its first variation: the main line.
    ///
    /// # Panics
    /// When another, larger tree gave the id.
    pub fn add_first(&mut self, parent: NodeId) -> NodeId {
        self.add_at(parent, 0)
    }

    fn add_at(&mut self, parent: NodeId, number: usize) -> NodeId {
        let id = NodeId(self.nodes.len());
        self.nodes[parent.0].children.insert(number, id);
        self.nodes.push(Node {
            parent: Some(parent),
            ..Node::default()
        });
        id
    }

    /// The nodes from the root to the last of the main line, which takes the first variation everywhere.
    pub fn main_line(&self) -> Vec<NodeId> {
        let mut line = vec![Tree::ROOT];
        let mut node = self.node(Tree::ROOT);
        while let Some(&next) = node.children.first() {
            line.push(next);
            node = self.node(next);
        }
        line
    }

    /// The nodes from the root to a node.
    ///
    /// # Panics
    /// When another, larger tree gave the id.
    pub fn path(&self, id: NodeId) -> Vec<NodeId> {
        let mut path = vec![id];
        let mut node = self.node(id);
        while let Some(parent) = node.parent {
            path.push(parent);
            node = self.node(parent);
        }
        path.reverse();
        path
    }

    /// All nodes in the order of the text: a node, then its variations one after the other.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        let mut open = vec![Tree::ROOT];
        std::iter::from_fn(move || {
            let id = open.pop()?;
            open.extend(self.node(id).children.iter().rev());
            Some(id)
        })
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        // The order of the nodes with the number of children of each makes the tree.
        let alike = |(a, b): (NodeId, NodeId)| {
            let (a, b) = (self.node(a), other.node(b));
            a.properties == b.properties && a.children.len() == b.children.len()
        };
        self.nodes.len() == other.nodes.len() && self.nodes().zip(other.nodes()).all(alike)
    }
}

enum Step {
    Node(NodeId),
    Open,
    Close,
}

fn write_node(f: &mut fmt::Formatter<'_>, node: &Node) -> fmt::Result {
    f.write_char(';')?;
    for property in node.properties() {
        f.write_str(property.name())?;
        for value in property.values() {
            f.write_char('[')?;
            for c in value.chars() {
                if matches!(c, ']' | '\\') {
                    f.write_char('\\')?;
                }
                f.write_char(c)?;
            }
            f.write_char(']')?;
        }
    }
    f.write_char('\n')
}

/// The text of a record: a line for each node, and for each parenthesis around a variation.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps = vec![Step::Close, Step::Node(Tree::ROOT), Step::Open];
        while let Some(step) = steps.pop() {
            match step {
                Step::Open => f.write_str("(\n")?,
                Step::Close => f.write_str(")\n")?,
                Step::Node(id) => {
                    let node = self.node(id);
                    write_node(f, node)?;
                    match node.children() {
                        [] => {}
                        &[only] => steps.push(Step::Node(only)),
                        several => {
                            for &child in several.iter().rev() {
                                steps.extend([Step::Close, Step::Node(child), Step::Open]);
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
    location: Location,
}

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
    /// Reads the trees of a file's bytes, which must be UTF-8: one game, or several one after the other.
    ///
    /// # Errors
    /// When the bytes hold no tree or something else than trees, and where.
    pub fn read_all(bytes: impl AsRef<[u8]>) -> Result<Vec<Tree>, SgfError> {
        let bytes = bytes.as_ref();
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let mut reader = Reader {
                location: Location { line: 1, column: 1 },
                chars: std::str::from_utf8(&bytes[..error.valid_up_to()])
                    .unwrap_or_default()
                    .chars()
                    .peekable(),
            };
            while reader.next().is_some() {}
            reader.location.error(SgfErrorKind::Encoding)
        })?;
        let mut reader = Reader::new(text);
        let mut trees = vec![reader.tree()?];
        while reader.peek().is_some() {
            trees.push(reader.tree()?);
        }
        Ok(trees)
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
