//! Lessons: three positions of each game in which a reader looks for a move. The rules say which moves are right.

use games::blokus::Colour as BlokusColour;
use games::dobutsu::PieceKind;
use games::geister::Colour;
use games::{Blokus, Daihinmin, Dobutsu, Game, GameName, Geister, Player, ScoreFour, Seat};
use record::Frame;
use serde::Serialize;
use serde_json::json;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Goal {
    /// A move that takes or lays down the most.
    Most,
    Win,
    /// A move after which the next one wins, whatever the others do.
    Plan,
    /// A move after which no other seat wins with the next one.
    Safe,
}

#[derive(Debug, Serialize)]
pub(crate) struct Lesson {
    goal: Goal,
    seat: Seat,
    frame: Frame,
    moves: Vec<String>,
}

/// What a move of a lesson comes to.
#[derive(Debug, Serialize)]
pub(crate) struct Verdict {
    right: bool,
    /// The move, and behind a wrong one the answer that punishes it.
    frames: Vec<Frame>,
}

pub(crate) trait Taught: Game {
    const LESSONS: [(Goal, &'static str); 3];

    /// How much a seat has taken or laid down.
    fn gained(&self, seat: Seat) -> u32;

    /// Whether a seat has won, though the others may play on.
    fn has_won(&self, seat: Seat) -> bool {
        self.outcome().is_some_and(|outcome| {
            let mut best = Seat::all(Self::SEATS).filter(|seat| outcome.places[*seat] == 0);
            (best.next(), best.next()) == (Some(seat), None)
        })
    }
}

pub(crate) fn all(game: GameName) -> Vec<Lesson> {
    match game {
        GameName::Daihinmin => lessons::<Daihinmin>(),
        GameName::Geister => lessons::<Geister>(),
        GameName::Blokus => lessons::<Blokus>(),
        GameName::ScoreFour => lessons::<ScoreFour>(),
        GameName::Dobutsu => lessons::<Dobutsu>(),
    }
}

/// What a move of a lesson comes to; `None` where there is no such lesson or move.
pub(crate) fn judge(game: GameName, lesson: usize, mv: &str) -> Option<Verdict> {
    match game {
        GameName::Daihinmin => verdict::<Daihinmin>(lesson, mv),
        GameName::Geister => verdict::<Geister>(lesson, mv),
        GameName::Blokus => verdict::<Blokus>(lesson, mv),
        GameName::ScoreFour => verdict::<ScoreFour>(lesson, mv),
        GameName::Dobutsu => verdict::<Dobutsu>(lesson, mv),
    }
}

/// The game of a position, and the seat to move.
fn begin<G: Taught>(position: &str) -> (G, Seat) {
    let game = G::read(&G::Rules::default(), position).expect("lessons have positions");
    let seat = game.to_move().expect("a move is due in a lesson");
    (game, seat)
}

fn lessons<G: Taught>() -> Vec<Lesson> {
    let lessons = G::LESSONS.into_iter();
    lessons
        .map(|(goal, position)| {
            let (game, seat) = begin::<G>(position);
            Lesson {
                goal,
                seat,
                frame: frame(&game, seat, None),
                moves: game.legal_texts(),
            }
        })
        .collect()
}

/// A game as a seat sees it, after a move.
pub(crate) fn frame<G: Taught>(game: &G, seat: Seat, mv: Option<(Seat, String)>) -> Frame {
    let players = Seat::all(G::SEATS).map(|seat| Player::new(seat.number()));
    let mut frame = Frame::begin(1, players.collect());
    let view = json!(game.view(seat));
    if let Some((mover, mv)) = mv {
        frame.play(game.ply(), mover, mv, None);
    }
    frame.show(game.ply(), game.to_move(), view);
    frame
}

fn verdict<G: Taught>(lesson: usize, mv: &str) -> Option<Verdict> {
    let (goal, position) = *G::LESSONS.get(lesson)?;
    let (game, seat) = begin::<G>(position);
    let right = right_moves(&game, goal);
    let mut after = game.clone();
    let mv = after.play_text(mv).ok()?;
    let right = right.contains(&mv);
    let mut frames = vec![frame(&after, seat, Some((seat, game.shown(mv, seat))))];
    let answer = (!right && goal == Goal::Safe).then(|| next(&after));
    if let Some((mv, last)) =
        answer.and_then(|next| next.into_iter().find(|(_, game)| lost(game, seat)))
    {
        let mover = after.to_move()?;
        frames.push(frame(&last, seat, Some((mover, after.shown(mv, seat)))));
    }
    Some(Verdict { right, frames })
}

fn right_moves<G: Taught>(game: &G, goal: Goal) -> Vec<G::Move> {
    let seat = game.to_move().expect("a move is due in a lesson");
    let next = next(game);
    let most = next.iter().map(|(_, after)| after.gained(seat)).max();
    let is_right = |after: &G| match goal {
        Goal::Most => Some(after.gained(seat)) == most && after.gained(seat) > game.gained(seat),
        Goal::Win => after.has_won(seat),
        Goal::Plan => wins_next(after, seat),
        Goal::Safe => {
            !lost(after, seat) && !self::next(after).iter().any(|(_, last)| lost(last, seat))
        }
    };
    let right = next.iter().filter(|(_, after)| is_right(after));
    right.map(|(mv, _)| *mv).collect()
}

/// The positions after each legal move.
fn next<G: Taught>(game: &G) -> Vec<(G::Move, G)> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let after = |mv| {
        let mut after = game.clone();
        after.play(mv).expect("a move of the list is legal");
        (mv, after)
    };
    moves.into_iter().map(after).collect()
}

fn lost<G: Taught>(game: &G, seat: Seat) -> bool {
    Seat::all(G::SEATS).any(|other| other != seat && game.has_won(other))
}

/// Whether a seat wins with its next move, whatever the others do before it.
fn wins_next<G: Taught>(game: &G, seat: Seat) -> bool {
    match game.to_move() {
        Some(mover) if mover == seat => next(game).iter().any(|(_, after)| after.has_won(seat)),
        Some(_) => next(game)
            .iter()
            .all(|(_, after)| !lost(after, seat) && wins_next(after, seat)),
        None => false,
    }
}

impl Taught for Dobutsu {
    const LESSONS: [(Goal, &'static str); 3] = [
        (Goal::Most, ""),
        (Goal::Win, "sfen g1e/1lc/1G1/EL1 b C 1"),
        (Goal::Safe, "sfen g1l/L2/1C1/E1G b ce 1"),
    ];

    fn gained(&self, seat: Seat) -> u32 {
        let kinds = [PieceKind::Chick, PieceKind::Elephant, PieceKind::Giraffe].into_iter();
        kinds
            .map(|kind| u32::from(self.board().hand(seat.number(), kind)))
            .sum()
    }
}

impl Taught for ScoreFour {
    const LESSONS: [(Goal, &'static str); 3] = [
        (Goal::Win, "a1a3b1c3c1b4"),
        (Goal::Safe, "a1a2d3b2d1c2"),
        (Goal::Plan, "a1a2b1b3c2d3c3a4"),
    ];

    fn gained(&self, _: Seat) -> u32 {
        self.ply()
    }
}

impl Taught for Geister {
    const LESSONS: [(Goal, &'static str); 3] = [
        (
            Goal::Most,
            "14B23B34R44R15B25R35B45R22B31R21R11B40B30R20B10R 6",
        ),
        (
            Goal::Win,
            "00B23B50R44R15B25R35B45R22B31R21R11B40B30R20B10R 20",
        ),
        (
            Goal::Safe,
            "14B23B34R44R15B25R35B45R55B31R21R11B40B30R20B10R 20",
        ),
    ];

    fn gained(&self, seat: Seat) -> u32 {
        let Some(state) = self.state() else { return 0 };
        let colours = [Colour::Red, Colour::Blue].into_iter();
        colours
            .map(|colour| u32::from(state.captured(1 - seat.number(), colour)))
            .sum()
    }
}

/// Blue has the single square left, and all others are out.
pub(crate) const LAST_PIECE: &str = "b17,a18,b18,a19,a20;t20;t1;a1;c15,d15,c16,d16,d17;s18,s19;s2,s3;b2,b3;a12,b12,b13,c13,b14;r16,s16,r17;\
    p1,q1,r1;c4,c5,c6;d9,c10,d10,d11,d12;q13,q14,q15;n2,o2,o3;d2,d3,e3;g16,g17,e18,f18,g18;p18,q18,p19,p20;\
    r4,q5,r5,q6;b7,b8,b9,b10;h15,i15,j15,i16,i17;n11,o11,o12,p12;s6,t6,s7,s8;g1,h1,f2,g2;e8,f8,g8,h8,i8;\
    l9,l10,m10,l11;o7,p7,o8,p8;e5,e6,d7,e7;j18,k18,i19,j19,i20;k12,k13,k14,k15;l2,k3,l3,m3;i2,j2,k2,i3,j3;\
    j6,k6,l6,j7,l7;o14,o15,n16,o16,o17;t9,s10,t10,s11,t11;g4,h4,h5,i5,i6;f13,e14,f14,g14,f15;n9,o9,p9,q9,q10;\
    q12,r12,r13,s13,t13;l1,m1,n1,o1,m2;m17,n17,m18,l19,m19;j16,j17,k17,l17,l18;m13,n13,o13,p13,m14;n3,n4,o4,p4,q4;\
    g12,h12,i12,j12,j13;h18,i18,g19,h19,h20;l5,m5,m6,n6,m7;j9,i10,j10,k10;c19,d19,d20,e20,f20;k7,j8,k8,l8,k9;\
    l15,m15,n15,l16;n18,n19,l20,m20,n20;f9,g9,h9,i9,h10;n7,m8,n8,m9;f11,g11,h11,i11,j11;g5,g6,h6,h7,i7;\
    o5,p5,o6,p6;e12,d13,e13,c14,d14;h2,f3,g3,h3,f4;q7,r7,r8;a15,b15,a16,b16,a17;c1,d1,e1,c2,e2;o18,o19,o20;\
    p14,p15,p16,p17;n10,o10";

/// Only one more piece of blue fits, one of three, and all others are out.
const ONE_OF_THREE: &str = "b18,c18,b19,a20,b20;r19,t19,r20,s20,t20;r1,s1,t1,r2,s2;a1,b1,a2,b2,c2;b14,a15,b15,a16,a17;\
    o17,o18,p18,q18,p19;o1,p1,p2,p3,q3;d1,e1,e2,f2,f3;e11,d12,e12,c13,d13;s16,t16,s17,t17,s18;r4,t4,r5,s5,t5;\
    c4,d4,e4,c5,c6;g12,f13,g13,g14,h14;p14,p15,q15,r15,p16;o5,o6,p6,q6,p7;i3,g4,h4,i4,h5;d15,e15,f15,f16,f17;\
    k19,l19,m19,n19,n20;m2,n2,m3,m4,m5;h1,i1,j1,h2,j2;d8,b9,c9,d9,d10;n11,n12,n13,o13,n14;q8,r8,s8,t8,s9;\
    g6,g7,g8,h8,h9;i12,j12,k12,l12,i13;i18,j18,g19,h19,i19;m8,n8,o8,n9,n10;j6,i7,j7,k7,j8;j14,k14,j15,j16,k16;\
    k15,l15,m15,m16,m17;o11,p11,p12,q12,q13;k9,k10,l10,m10,k11;a5,a6,b6,a7,a8;s12,r13,s13,t13,s14;\
    k4,k5,k6,l6,l7;e9,e10,f10,g10,g11;f5,e6,f6,e7,f7;d18,d19,e19,e20,f20;m11,m12,k13,l13,m13;\
    b10,a11,b11,c11,d11;i9,h10,i10,h11;t9,r10,s10,t10,r11;k1,l1,k2;k3,l3,l4,l5;h16,h17,g18,h18;\
    b16,c16,d16,c17;r14;n3,n4,n5,m6,n6;a3,b3,c3,b4;p9,q9,o10,p10;s15,t15;b7,b8,c8;a12,b12,a13;f18;\
    r16,p17,q17,r17;h12,h13;f9,g9;g15,h15,g16,g17;o15,n16,o16,n17;i14,i15,i16,i17;f19;c14,d14,e14,f14;\
    l17,k18,l18,m18;l8";

/// Blue has two pieces left, and all others are out.
const TWO_PIECES: &str = "a16,a17,a18,a19,a20;t20;t1;a1;b12,b13,b14,c14,b15;s18,s19;r2,s2;b2,b3;e15,f15,c16,d16,e16;p20,q20,r20;\
    t3,t4,t5;a4,a5,b5;j13,g14,h14,i14,j14;q17,r17,q18;s6,r7,s7;c4,d4,e4;k11,l11,k12,l12,l13;s13,s14,s15,s16;\
    o5,p5,q5,r5;f3,g3,g4,g5;n9,m10,n10,n11,o11;p15,q15,o16,p16;n6,n7,o7,n8;g1,h1,i1,h2;p12,p13,q13,r13,p14;\
    n13,n14,o14,n15;p1,q1,p2,p3;c1,d1,d2,e2;l7,l8,j9,k9,l9;m17,n17,m18,m19;p8,o9,p9,o10;k5,h6,i6,j6,k6;\
    d11,e11,d12,d13,e13;q10,r10,q11,r11,r12;m3,n3,m4,l5,m5;f6,f7,e8,f8,g8;f17,e18,f18,d19,e19;i19,i20,j20,k20,l20;\
    h3,i3,j3,k3,k4;h9,g10,h10,f11,g11;a8,a9,b9,c9,c10;j15,j16,k16,j17,j18;j1,k1,l1,m1,l2;i11,i12,j12,h13,i13;\
    d6,c7,d7,e7,d8;h16,h17,g18,h18,g19;t8,r9,s9,t9,s10;k13,m13,k14,l14,m14;k15,l15,l16,l17;b20,c20,d20,e20,f20;\
    t11,t12,t13,t14,t15;g7,h7,h8,i8;e9,f9,g9,f10;f12,g12,h12;k18,k19,l19;m20,n20;o18,p18,o19,p19";

impl Taught for Blokus {
    const LESSONS: [(Goal, &'static str); 3] = [
        (Goal::Most, ""),
        (Goal::Win, ONE_OF_THREE),
        (Goal::Plan, TWO_PIECES),
    ];

    fn gained(&self, seat: Seat) -> u32 {
        u32::from(self.board().squares(BlokusColour::ALL[seat.index()]))
    }
}

impl Taught for Daihinmin {
    const LESSONS: [(Goal, &'static str); 3] = [
        (
            Goal::Most,
            "S4S5S6HKD9/H3H8DQ/SJC5CT/SAD4D8/H9D2CK //// - -/- pass 0 0 0 31 - 0 55555 01234 30",
        ),
        (
            Goal::Win,
            "H9D9/H3H8DQ/SJC5CT/SAD4D8/D2CK //// - -/- S7C7 4 0 0 31 - 0 55555 01234 30",
        ),
        (
            Goal::Plan,
            "S8D4/H3H8DQ/SJC5CT/SAD8/H9D2CK //// - -/- pass 0 0 0 31 - 0 55555 01234 30",
        ),
    ];

    fn gained(&self, seat: Seat) -> u32 {
        53 - self.state().hands[seat.index()].len()
    }

    fn has_won(&self, seat: Seat) -> bool {
        self.state().table.places[seat.index()] == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right<G: Taught>() -> [Vec<String>; 3] {
        G::LESSONS.map(|(goal, position)| {
            let (game, _) = begin::<G>(position);
            let right = right_moves(&game, goal);
            right.iter().map(ToString::to_string).collect()
        })
    }

    #[test]
    fn the_rules_know_the_right_moves() {
        assert_eq!(
            right::<Dobutsu>(),
            [vec!["2c2b"], vec!["2c2b"], vec!["3b3a", "3b3c"]]
        );
        assert_eq!(right::<ScoreFour>(), [["d1"], ["d2"], ["c1"]]);
        assert_eq!(right::<Geister>(), [["B,N"], ["A,W"], ["H,E"]]);
        assert_eq!(right::<Daihinmin>(), [["S4S5S6"], ["H9D9"], ["S8"]]);
        let [five, one, two] = right::<Blokus>();
        assert!(five.iter().all(|mv| mv.split(',').count() == 5));
        assert_eq!((one.len(), two.len()), (1, 1));
        assert_eq!(one[0].split(',').count(), 5);
    }

    #[test]
    fn every_lesson_has_right_and_wrong_moves_and_their_frames() {
        for game in GameName::ALL {
            for (number, lesson) in all(game).iter().enumerate() {
                let judged = |mv: &String| judge(game, number, mv).expect("a legal move");
                let verdicts: Vec<Verdict> = lesson.moves.iter().map(judged).collect();
                assert!(verdicts.iter().any(|one| one.right), "{game} {number}");
                assert!(verdicts.iter().any(|one| !one.right), "{game} {number}");
                for (verdict, mv) in verdicts.iter().zip(&lesson.moves) {
                    let [first, punished @ ..] = &verdict.frames[..] else {
                        panic!("{game} {number} {mv}: no frame");
                    };
                    assert_eq!(
                        (first.seat, first.ply),
                        (Some(lesson.seat), lesson.frame.ply + 1)
                    );
                    let is_punished = lesson.goal == Goal::Safe && !verdict.right;
                    assert_eq!(!punished.is_empty(), is_punished, "{game} {number} {mv}");
                }
            }
            assert!(judge(game, 3, "a1").is_none() && judge(game, 0, "?").is_none());
        }
    }

    #[test]
    fn a_lesson_of_geister_shows_no_colour_of_the_other_side() {
        for lesson in all(GameName::Geister) {
            let enemy = lesson.frame.views[0]["enemy"].to_string();
            assert!(
                enemy.contains('u') && !enemy.contains(['R', 'B']),
                "{enemy}"
            );
        }
    }
}
