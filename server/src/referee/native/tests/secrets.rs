//! A game for three with hidden moves: the referee is not made for two, nor for open games.

use games::{NoPosition, Outcome, Seat, Seating};
use serde_json::{Value, json};

use super::*;

/// Three seats in turn choose a number twice, in secret; the highest sum wins.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sealed {
    chosen: Vec<u8>,
}

/// The numbers 0 to 9 are legal.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("a number from 0 to 9 is wanted")]
struct TooLarge;

impl Game for Sealed {
    type Rules = <ScoreFour as Game>::Rules;
    type Move = u8;
    type Illegal = TooLarge;
    type View = Value;
    type PublicView = usize;
    const NAME: GameName = GameName::Blokus;
    const SEATS: usize = 3;
    const MOST_PLIES: u32 = 6;
    const HAS_SECRETS: bool = true;

    fn begin(_: &Self::Rules, _: u64) -> Sealed {
        Sealed::default()
    }

    fn read(_: &Self::Rules, _: &str) -> Result<Sealed, NoPosition> {
        Ok(Sealed::default())
    }

    fn position(&self) -> String {
        format!("{:?}", self.chosen)
    }

    fn key(&self) -> Vec<u8> {
        self.chosen.clone()
    }

    fn to_move(&self) -> Option<Seat> {
        (self.chosen.len() < 6).then_some(Seat::at(self.chosen.len() % 3))
    }

    fn ply(&self) -> u32 {
        self.chosen.len() as u32
    }

    fn view(&self, seat: Seat) -> Value {
        let own = self.chosen.iter().skip(seat.index()).step_by(3);
        json!({"own": own.collect::<Vec<_>>()})
    }

    fn public_view(&self) -> usize {
        self.chosen.len()
    }

    fn legal_moves(&self, out: &mut Vec<u8>) {
        out.clear();
        out.extend(0..10);
    }

    fn play(&mut self, number: u8) -> Result<(), TooLarge> {
        if number > 9 {
            return Err(TooLarge);
        }
        self.chosen.push(number);
        Ok(())
    }

    fn shown(&self, number: u8, seat: Seat) -> String {
        if self.to_move() == Some(seat) {
            number.to_string()
        } else {
            "?".to_owned()
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        let sum = |seat: usize| self.chosen.iter().skip(seat).step_by(3).sum::<u8>();
        let sums = [sum(0), sum(1), sum(2)];
        let place = |own: &u8| sums.iter().filter(|other| *other > own).count() as u8;
        (self.chosen.len() == 6).then(|| Outcome {
            places: sums.iter().map(place).collect(),
            points: sums.iter().map(|own| f64::from(2 - place(own))).collect(),
            game_points: games::BySeat::default(),
            rule: Some("sealed"),
            reason: None,
        })
    }
}

fn of_three() -> MatchSettings<<ScoreFour as Game>::Rules> {
    let usual = settings::<ScoreFour>();
    MatchSettings {
        clocks: ByPlayer::of(3, usual.clocks[Player::new(0)]),
        ..usual
    }
}

/// Lines for player 2 in two games in which the others choose these numbers.
fn told(others: [u8; 8]) -> (Vec<String>, Vec<GameResult>) {
    let names = ["a", "b", "c"].map(str::to_owned);
    let settings = MatchSettings {
        games: 2,
        ..of_three()
    };
    let mut referee = NativeReferee::<Sealed>::new(settings, &names);
    let mut out = Outbox::at(ms(0));
    referee.start(&mut out);
    let mut others = others.into_iter();
    for ply in 0..12 {
        // In the second game everyone has moved on by a seat.
        let player = if ply < 6 { ply % 3 } else { (ply + 1) % 3 };
        let number = if player == 2 {
            4
        } else {
            others.next().unwrap()
        };
        let (game, mv) = (None, number.to_string());
        let message = ClientMessage::Move {
            game,
            ply: Some(u32::from(ply % 6)),
            mv,
        };
        out.now = ms(u64::from(ply));
        referee.receive(Player::new(player), Ok(message), &mut out);
    }
    assert!(referee.is_over());
    let lines = out.messages.iter().filter(|(to, _)| *to == Player::new(2));
    (
        lines.map(|(_, message)| message.to_line()).collect(),
        referee.results().to_vec(),
    )
}

#[test]
fn what_a_seat_may_not_know_changes_no_byte() {
    let (first, results) = told([9, 5, 9, 5, 9, 5, 9, 5]);
    let (second, _) = told([8, 5, 9, 6, 8, 5, 9, 6]);
    assert_eq!(first, second);
    assert!(first.iter().any(|line| line.contains(r#""move":"?""#)));
    assert!(
        first
            .iter()
            .any(|line| line.contains(r#""view":{"own":[]}"#))
    );
    assert_eq!(results[0].places, [0, 1, 2]);
    assert_eq!(results[1].seating, Seating::rotation(3, 2));
    assert_eq!(results[1].places[Player::new(2)], 2);
}

#[test]
fn one_of_three_that_leaves_is_last_and_ends_the_match() {
    let names = ["a", "b", "c"].map(str::to_owned);
    let mut referee = NativeReferee::<Sealed>::new(of_three(), &names);
    let mut out = Outbox::at(ms(0));
    referee.start(&mut out);
    out.now = ms(1);
    referee.receive(Player::new(1), Ok(ClientMessage::Leave), &mut out);
    assert!(referee.is_over());
    assert_eq!(referee.results()[0].places, [0, 2, 0]);
    assert_eq!(referee.results()[0].points, [1.0, 0.0, 1.0]);
    assert_eq!(out.close, [0, 1, 2].map(Player::new));
}
