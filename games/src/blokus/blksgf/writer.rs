//! Trees to text.

use std::fmt::{self, Write};

use super::{Node, NodeId, Tree};

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
