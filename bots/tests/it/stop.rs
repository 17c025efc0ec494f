//! Another thread ends the search of every engine, which then answers with a legal move. A search that does not listen does not
//! come to an end here: its budget lasts for hours.

use std::path::Path;

use games::blokus::Board;
use games::daihinmin::{Dealer, Session, SessionRules, View, is_legal};
use games::geister::{self as ghosts, MoveList, Placement, Rules};
use games::score_four::Position;
use games::{Dobutsu, Game as _, GameName};
use taikyoku_bots::search::StopFlag;
use taikyoku_bots::spec::{self, Specified};
use taikyoku_bots::{blokus, daihinmin, dobutsu, geister, score_four};

/// More playouts than a test can wait for.
const ENDLESS: &str = "playouts=4000000000";

/// All engines of a game, endless where they have a budget, on two threads where they may have several.
fn engines<O: Specified>(without: &str) -> Vec<O> {
    let network = match O::GAME {
        GameName::Blokus => "tiny-fast.onnx",
        _ => "tiny-dobutsu.onnx",
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/fixtures");
    let model = folder.join(network);
    let more = [
        format!("model={}:nn=rten:{ENDLESS}:threads=2", model.display()),
        format!("{ENDLESS}:threads=2"),
        ENDLESS.to_owned(),
    ];
    let names = spec::engines::<O>()
        .into_iter()
        .filter(|name| name != without);
    let options = |name: String| {
        let mut texts = more
            .iter()
            .map(|more| format!("{name}:{more}"))
            .chain([name.clone()]);
        texts
            .find_map(|text| spec::read(&text).ok())
            .expect("an engine")
    };
    names.map(options).collect()
}

/// What is chosen while another thread raises the flag.
fn stopped<R>(choose: impl FnOnce() -> R) -> R {
    let flag = StopFlag::default();
    std::thread::scope(|scope| {
        scope.spawn(|| flag.raise());
        flag.guard(choose)
    })
}

#[test]
fn of_blokus() {
    let (board, mut moves) = (Board::new(), Vec::new());
    board.legal_moves(&mut moves);
    for options in engines::<blokus::EngineOptions>("") {
        let mut engine = options.build(1).expect("an engine");
        let mv = stopped(|| engine.choose(&board, None));
        assert!(moves.contains(&mv), "{options:?}: {mv}");
    }
}

#[test]
fn of_score_four() {
    // In the second position the solver begins, too.
    let late = "d2a1b1b2c4b1b2b2d4a4d1d3d2c4d2d2a3d1c1d3d3d1c1c1d1d4b1c4a4a4";
    for position in ["", late].map(|text| text.parse::<Position>().expect("a position")) {
        for options in engines::<score_four::EngineOptions>("") {
            let peg = stopped(|| options.build(1).expect("an engine").choose(&position, None));
            assert!(position.is_legal(peg), "{options:?}: {peg}");
        }
    }
}

/// `perfect` needs the table of the solved game, in which it looks up a few positions.
#[test]
fn of_dobutsu_shogi() {
    let game = Dobutsu::begin(&games::dobutsu::Rules::default(), 0);
    for options in engines::<dobutsu::EngineOptions>("perfect") {
        let mut engine = options.build(1).expect("an engine");
        let mv = stopped(|| engine.choose(&game, None));
        assert!(game.board().is_legal(mv), "{options:?}: {mv}");
    }
}

#[test]
fn of_geister() {
    let view = ghosts::View::start(0, Placement::ALL[7], Rules::default());
    let mut moves = MoveList::new();
    view.legal_moves(&mut moves);
    for options in engines::<geister::EngineOptions>("") {
        let mut engine = options.build(1).expect("an engine");
        engine.begin(&view);
        let mv = stopped(|| engine.choose(&view, None));
        assert!(moves.contains(&mv), "{options:?}: {mv}");
    }
}

#[test]
fn of_daihinmin() {
    let mut session = Session::new(SessionRules::default(), Dealer::plain(11));
    let start = session.deal().start();
    let view = View::at_start(&start, start.table.turn);
    for options in engines::<daihinmin::EngineOptions>("") {
        let mut engine = options.build(1).expect("an engine");
        engine.game_begins(&view);
        let meld = stopped(|| engine.choose(&view, None));
        assert_eq!(
            is_legal(&view.table, view.hand, meld),
            Ok(()),
            "{options:?}: {meld}"
        );
        let gift = stopped(|| engine.gift(&view, 1, None));
        assert!(
            view.hand.contains_all(gift) && gift.len() == 1,
            "{options:?}"
        );
    }
}
