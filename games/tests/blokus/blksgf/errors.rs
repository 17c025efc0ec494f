//! What is refused, and the place that the error names.

use taikyoku_games::blokus::blksgf::{
    DEPTH_LIMIT, Game, PROPERTY_LIMIT, SETUP_LIMIT, SgfErrorKind, Tree,
};
use taikyoku_games::blokus::{Colour, IllegalMove};

use super::p;

/// A game and what is wrong with it, its line ends written `⏎`.
const ERRORS: &str = r"=> line 1, column 1: the text ends where `(` is needed
⏎ x => line 2, column 2: `x` where `(` is needed
() => line 1, column 2: `)` where `;` is needed
((( => line 1, column 2: `(` where `;` is needed
(;GM[Blokus] => line 1, column 13: the text ends where a property, `;`, `(` or `)` is needed
(;GM[Blokus]⏎!) => line 2, column 1: `!` where a property, `;`, `(` or `)` is needed
(;GM) => line 1, column 5: `)` where `[` is needed
(;GM[Blo⏎kus => line 2, column 4: the text ends where `]` is needed
(;C[\ => line 1, column 6: the text ends where `]` is needed
(;C[\]) => line 1, column 8: the text ends where `]` is needed
(;C[a](;C[b]);C[c]) => line 1, column 14: `;` where `(` or `)` is needed
(;C[a](;C[b]) => line 1, column 14: the text ends where `(` or `)` is needed
(;C[a])x => line 1, column 8: `x` where the end of the text is needed
(;C[a]) => the root has no GM property
(⏎ ;CA[x]GM[Blokus Duo]) => line 2, column 8: the game is `Blokus Duo`, not `Blokus` for four players
(;GM[Blokus]⏎;1[a20,c20]) => line 2, column 2: the squares are not those of a piece: a piece is one to five squares joined at edges
(;GM[Blokus];é[a1]) => line 1, column 14: `é` where a property, `;`, `(` or `)` is needed
(;GM[Blokus];1[a20]⏎;C[四]2[t1]) => line 2, column 6: yellow cannot play t1: the first piece of yellow must cover t20
(;GM[Blokus];1[a20];1[b19]) => line 1, column 21: blue cannot play b19: blue has placed its piece 1 already
(;GM[Blokus]PL[B]) => line 1, column 13: `B` is not a colour: write 1 to 4, or blue, yellow, red or green
(;GM[Blokus]A1[a20]AE[b20]) => line 1, column 20: b20 is to be taken off, but no such piece lies on the board
(;GM[Blokus]A1[a20]⏎A2[t20][t20]) => line 2, column 1: the pieces cannot lie like that: yellow cannot place t20: yellow has placed its piece 1 already
(;GM[Blokus]A1[c18]) => line 1, column 13: the pieces cannot lie like that: blue cannot place c18: the first piece of blue must cover a20";

#[test]
fn errors_say_what_is_wrong_and_where() {
    for line in ERRORS.lines() {
        let (text, error) = line.split_once("=> ").unwrap();
        let text = text.trim_end_matches(' ').replace('⏎', "\n");
        let found = text.parse::<Game>().unwrap_err();
        assert_eq!(found.to_string(), error, "{text}");
    }
    for name in ["B", "W", "Y", "R", "G"] {
        let text = format!("(;GM[ Blokus ]\n;{name}[a20])");
        let found = text.parse::<Game>().unwrap_err().to_string();
        let due = format!("line 2, column 2: `{name}` is no move in blksgf");
        assert!(found.starts_with(&due), "{found}");
    }
    let not_utf8 = Tree::read_all(b"(;GM[Blokus]\nC[\xe9])").unwrap_err();
    assert_eq!(
        not_utf8.to_string(),
        "line 2, column 3: the text is not UTF-8"
    );
    assert!(Tree::read_all("\u{feff}(;C[é])".as_bytes()).is_ok());
}

#[test]
fn illegal_games_of_a_program_are_refused_without_a_place() {
    let mut game = Game::default();
    game.moves.push((Colour::BLUE, p("a1")));
    let error = game.board().unwrap_err();
    assert_eq!((error.line, error.column), (0, 0));
    let reason = IllegalMove::Start(Colour::BLUE);
    assert_eq!(
        error.kind,
        SgfErrorKind::Illegal(Colour::BLUE, p("a1"), reason)
    );
    assert_eq!(
        error.to_string(),
        "blue cannot play a1: the first piece of blue must cover a20"
    );
    assert!(game.board_after(0).is_ok());
}

#[test]
#[should_panic(expected = "not a property name")]
fn a_property_name_has_letters_and_digits_only() {
    Tree::new().node_mut(Tree::ROOT).add("C]", "x");
}

#[test]
fn variations_are_nested_up_to_a_limit() {
    let nested = |depth: usize| "(;".repeat(depth) + &")".repeat(depth);
    let tree: Tree = nested(DEPTH_LIMIT).parse().unwrap();
    assert_eq!(tree.main_line().len(), DEPTH_LIMIT);
    let error = nested(DEPTH_LIMIT + 1).parse::<Tree>().unwrap_err();
    assert_eq!(error.kind, SgfErrorKind::Depth);
    assert_eq!((error.line, error.column), (1, 1 + 2 * DEPTH_LIMIT));
    // A line of nodes is not nesting.
    let long = format!("({})", ";C[x]".repeat(200_000));
    let tree: Tree = long.parse().unwrap();
    assert_eq!(tree.main_line().len(), 200_000);
    assert_eq!(tree.to_string().parse(), Ok(tree));
}

#[test]
fn a_node_has_properties_up_to_a_limit() {
    let names = |n: usize| -> String {
        let names: Vec<String> = (0..n).map(|i| format!("X{i}[]")).collect();
        names.concat()
    };
    let tree: Tree = format!("(;{})", names(PROPERTY_LIMIT)).parse().unwrap();
    assert_eq!(tree.node(Tree::ROOT).properties().len(), PROPERTY_LIMIT);
    // Each has values without number, in one place or in several.
    let many = format!("(;{})", "A[a][b]B[c]".repeat(10_000));
    let tree: Tree = many.parse().unwrap();
    assert_eq!(tree.node(Tree::ROOT).values("A").len(), 20_000);
    let error = format!("(;{})", names(60_000)).parse::<Tree>().unwrap_err();
    assert_eq!(error.kind, SgfErrorKind::Properties);
    assert_eq!(error.column, 3 + names(PROPERTY_LIMIT).len());
}

#[test]
fn no_more_pieces_are_set_up_than_there_are() {
    let text = format!(
        "(;GM[Blokus]A1{}AE{})",
        "[a20]".repeat(84),
        "[a20]".repeat(83)
    );
    assert_eq!(text.parse::<Game>().unwrap().board().unwrap().ply(), 1);
    let text = format!("(;GM[Blokus]\nA1{})", "[a20]".repeat(85));
    let error = text.parse::<Game>().unwrap_err();
    assert_eq!(error.kind, SgfErrorKind::Pieces);
    assert_eq!((error.line, error.column), (2, 1));
}

#[test]
fn a_line_sets_up_positions_up_to_a_limit() {
    let text = |n: usize| {
        format!(
            "(;GM[Blokus]{})",
            ";AE[a20]A1[a20]".repeat(n).replacen("AE[a20]", "", 1)
        )
    };
    assert_eq!(
        text(SETUP_LIMIT)
            .parse::<Game>()
            .unwrap()
            .setup
            .pieces
            .len(),
        1
    );
    let error = text(SETUP_LIMIT + 1).parse::<Game>().unwrap_err();
    assert_eq!(error.kind, SgfErrorKind::Setups);
}
