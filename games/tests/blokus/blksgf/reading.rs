//! What is written and read.

use taikyoku_games::blokus::blksgf::{Game, MainLine, NodeId, Tree, score_comment};
use taikyoku_games::blokus::{Board, Colour};

use super::super::{below, rng};
use super::{p, record};

#[test]
fn whole_games_read_back() {
    for seed in 0..200 {
        let (mut game, board) = record(seed);
        game.players = ["Ann", "Bo [2]", "c\\", ""].map(String::from);
        game.comment = format!("one\n\ntwo: ]\\\n{}", score_comment(&board));
        game.info = vec![
            ("DT".into(), "2026-11-21".into()),
            ("EV".into(), "é四".into()),
        ];
        let text = game.to_string();
        let again: Game = text.parse().unwrap();
        assert_eq!(again, game);
        assert_eq!(again.to_string(), text);
        assert_eq!(again.board(), Ok(board));
        let half = game.moves.len() / 2;
        assert_eq!(game.board_after(half).unwrap().ply(), half as u16);
        assert_eq!(game.board_after(usize::MAX), Ok(board));
        assert!(text.starts_with(
            "(\n;GM[Blokus]CA[UTF-8]DT[2026-11-21]EV[é四]P1[Ann]P2[Bo [2\\]]P3[c\\\\]C["
        ));
        for (colour, placement) in &game.moves {
            assert!(text.contains(&format!("\n;{}[{placement}]\n", colour.seat() + 1)));
        }
    }
}

#[test]
fn games_with_withdrawals_read_back() {
    for seed in 0..40 {
        let mut rng = rng(seed);
        let (mut board, mut game, mut moves) = (Board::new(), Game::default(), Vec::new());
        while let Some(colour) = board.to_move() {
            if board.ply() % 12 == 7 {
                board.withdraw(colour);
                if board.to_move().is_none() {
                    break;
                }
            }
            let colour = board.to_move().unwrap();
            board.legal_moves(&mut moves);
            let placement = moves[below(&mut rng, moves.len())];
            game.moves.push((colour, placement));
            board.play(placement).unwrap();
        }
        let again = game.to_string().parse::<Game>().unwrap().board().unwrap();
        for colour in Colour::ALL {
            assert_eq!(again.own_rows(colour), board.own_rows(colour));
            assert_eq!(again.score(colour), board.score(colour));
        }
    }
}

#[test]
fn scores_stand_in_turn_order() {
    let mut board = Board::new();
    board.play(p("a20")).unwrap();
    board.play(p("s20,t20")).unwrap();
    assert_eq!(
        score_comment(&board),
        "Scores: blue -88, yellow -87, red -89, green -89"
    );
}

#[test]
fn every_form_that_other_programs_write_is_read() {
    let expected: Game = "(;GM[Blokus];1[a19,a20];2[t20];3[t1];1[b18])"
        .parse()
        .unwrap();
    assert_eq!(expected.moves.len(), 4);
    assert_eq!(expected.moves[3], (Colour::BLUE, p("b18")));
    for text in [
        "\u{feff} \n( ; GM [Blokus] ; 1 [a20,a19] ; 2 [t20]\r\n;3[T1] ;1[B18] )\n\n",
        "(;GM[Blokus]1[a19,a20];2[t20];3[t1];1[b18])",
        "(;GM[Blokus];1[a19][a20];2[t20];3[t1];1[b18])",
        "(;GM[Blokus];BLUE[a20,a19];YELLOW[t20];RED[t1];BLUE[b18])",
        "(;GM[Blokus];1[a19,a20];2[t20];3[t1];4[];1[b18]TE[1])",
        "(;GM[Blokus](;1[a19,a20](;2[t20];3[t1](;1[b18]))(;2[s20,t20]))(;1[zz]))",
        "(;GM[Blokus];1[a19,\\a20];2[t\\\n20];3[t1];1[b18])",
        "(;GM[ Blokus\n];1[a19,a20];2[t20];3[t1];1[b18])",
    ] {
        let game: Game = text.parse().unwrap();
        assert_eq!(game.moves, expected.moves, "{text}");
        assert_eq!(game.board(), expected.board());
    }
}

#[test]
fn text_keeps_line_feeds_and_loses_escapes() {
    for (written, read) in [
        ("", ""),
        ("a\\]b\\\\c", "a]b\\c"),
        ("a\\b\\:c", "ab:c"),
        ("a\nb\r\nc\rd\n\re", "a\nb\nc\nd\ne"),
        ("a\\\nb\\\r\nc\\\rd", "abcd"),
        ("a\tb\u{b}c\\\td", "a b c d"),
        ("[(;)[", "[(;)["),
        (" é 四 ", " é 四 "),
    ] {
        let tree: Tree = format!("(;C[{written}])").parse().unwrap();
        assert_eq!(tree.node(Tree::ROOT).value("C"), Some(read));
        let again: Tree = tree.to_string().parse().unwrap();
        assert_eq!(again, tree);
    }
}

#[test]
fn variations_keep_their_places() {
    let text = "(;GM[Blokus]C[root](;1[a20]C[first];2[t20](;3[t1];4[a1])(;3[t1,s1]))(;1[a20,b20]))";
    let tree: Tree = text.parse().unwrap();
    let names = |path: Vec<NodeId>| -> Vec<String> {
        let last = path
            .into_iter()
            .map(|id| tree.node(id).properties().last().unwrap());
        last.map(|p| format!("{}{}", p.name(), p.values().concat()))
            .collect()
    };
    assert_eq!(
        names(tree.main_line()),
        ["Croot", "Cfirst", "2t20", "3t1", "4a1"]
    );
    let order: Vec<NodeId> = tree.nodes().collect();
    assert_eq!(order.len(), 7);
    assert_eq!(tree.node(Tree::ROOT).children().len(), 2);
    assert_eq!(tree.node(Tree::ROOT).parent(), None);
    assert_eq!(
        names(tree.path(order[5])),
        ["Croot", "Cfirst", "2t20", "3t1,s1"]
    );
    assert_eq!(names(tree.path(order[6])), ["Croot", "1a20,b20"]);
    let other = Game::of_line(&tree, &tree.path(order[5])).unwrap();
    assert_eq!(other.moves[2], (Colour::RED, p("s1,t1")));
    assert_eq!(other.comment, "root");
    let written = tree.to_string();
    assert_eq!(written.parse(), Ok(tree.clone()));
    assert_eq!(
        written,
        "(\n;GM[Blokus]C[root]\n(\n;1[a20]C[first]\n;2[t20]\n(\n;3[t1]\n;4[a1]\n)\n(\n;3[t1,s1]\n)\n)\n\
         (\n;1[a20,b20]\n)\n)\n"
    );
    let mut longer = tree.clone();
    assert_eq!(longer, tree);
    longer.add(order[6]);
    assert_ne!(longer, tree);
}

#[test]
fn several_games_lie_in_one_text() {
    let text = "(;GM[Blokus];1[a20])\n(;GM[Blokus];1[a20,b20])\n";
    let trees = Tree::read_all(text).unwrap();
    assert_eq!(trees.len(), 2);
    assert_eq!(
        trees[0].to_string() + &trees[1].to_string(),
        "(\n;GM[Blokus]\n;1[a20]\n)\n(\n;GM[Blokus]\n;1[a20,b20]\n)\n"
    );
    let error = text.parse::<Tree>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2, column 1: `(` where the end of the text is needed"
    );
}

#[test]
fn a_tree_keeps_what_it_has_when_its_game_goes_another_way() {
    let text = "(;GM[Blokus]P1[Ann]C[root](;1[a20]C[first];2[t20](;3[t1]C[third])(;3[t1,s1]))(;1[a20,b20]))";
    let line = MainLine::of(text.parse().unwrap()).unwrap();
    let moves = line.game().moves.clone();
    assert_eq!(moves.len(), 3);
    for moves in [&moves[..], &moves[..2], &[]] {
        assert_eq!(line.with_moves(moves), *line.tree());
    }
    let other = [
        moves[0],
        (Colour::YELLOW, p("s20,t20")),
        (Colour::RED, p("t1")),
    ];
    let tree = line.with_moves(&other);
    assert_eq!(
        tree.to_string(),
        "(\n;GM[Blokus]P1[Ann]C[root]\n(\n;1[a20]C[first]\n(\n;2[s20,t20]\n;3[t1]\n)\n(\n;2[t20]\n(\n;3[t1]C[third]\n)\n\
         (\n;3[t1,s1]\n)\n)\n)\n(\n;1[a20,b20]\n)\n)\n"
    );
    assert_eq!(MainLine::of(tree).unwrap().game().moves, other);
    // A set-up, and moves that share a node.
    let line = MainLine::of(
        "(;GM[Blokus]P1[Ann];A1[a20]PL[2]C[here];2[t20]3[t1])"
            .parse()
            .unwrap(),
    )
    .unwrap();
    let yellow = (Colour::YELLOW, p("s20,t20"));
    assert_eq!(
        line.with_moves(&[yellow]).to_string(),
        "(\n;GM[Blokus]P1[Ann]\n;A1[a20]PL[2]C[here]\n(\n;2[s20,t20]\n)\n(\n;2[t20]3[t1]\n)\n)\n"
    );
    let red = (Colour::RED, p("s1,t1"));
    let divided = line.with_moves(&[line.game().moves[0], red]);
    assert_eq!(MainLine::of(divided).unwrap().game().moves[1], red);
}
