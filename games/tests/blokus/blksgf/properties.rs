//! Any tree reads back, and any text is read or refused.

use proptest::prelude::*;
use taikyoku_games::blokus::blksgf::{Game, Tree};

use super::record;

/// Text as it stands in a record: line feeds are the only white space but blanks.
fn plain_text() -> impl Strategy<Value = String> {
    "([^\r\t\u{b}\u{c}]|[\\]\\\\\\[;()\n]){0,40}"
}

/// Parents and properties of the nodes of a tree.
type Nodes = Vec<(prop::sample::Index, Vec<(String, Vec<String>)>)>;

fn nodes() -> impl Strategy<Value = Nodes> {
    let values = prop::collection::vec(plain_text(), 1..4);
    let properties = prop::collection::vec(("[A-Z0-9]{1,3}", values), 0..4);
    prop::collection::vec((any::<prop::sample::Index>(), properties), 1..20)
}

proptest! {
    #[test]
    fn any_tree_reads_back(nodes in nodes()) {
        let mut tree = Tree::new();
        let mut ids = vec![Tree::ROOT];
        for (parent, properties) in nodes {
            let id = tree.add(ids[parent.index(ids.len())]);
            ids.push(id);
            for (name, values) in properties {
                for value in values {
                    tree.node_mut(id).add(&name, value);
                }
            }
        }
        // Only so deep as the reader allows, by far.
        prop_assert_eq!(tree.to_string().parse(), Ok(tree));
    }

    #[test]
    fn names_and_comments_read_back(players in prop::array::uniform4(plain_text()), comment in plain_text()) {
        let game = Game { players, comment, ..Game::default() };
        prop_assert_eq!(game.to_string().parse(), Ok(game));
    }

    #[test]
    fn a_record_cut_or_changed_anywhere_is_read_or_refused(
        seed in 0..20_u64,
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = record(seed).0.to_string().into_bytes();
        let at = at.index(bytes.len());
        // Only the last line end is not needed.
        prop_assert_eq!(Tree::read_all(&bytes[..at]).is_ok(), at == bytes.len() - 1);
        bytes[at] = byte;
        if let Ok(trees) = Tree::read_all(&bytes) {
            let text: String = trees.iter().map(Tree::to_string).collect();
            prop_assert_eq!(Tree::read_all(text), Ok(trees));
        }
    }
}
