//! A record as nodes with properties.

use super::error::Location;

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
        let id = NodeId(self.nodes.len());
        self.nodes[parent.0].children.push(id);
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

/// The same properties in the same lines.
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
