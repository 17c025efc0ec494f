//! How much of the solved game a network knows.

use bots::dobutsu::{Table, Value};
use games::dobutsu::{Board, Move, MoveList};
use models::dobutsu::Dobutsu;
use models::{Encoding as _, Network, NetworkError};

const BATCH: usize = 64;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// Decided positions, and those of them whose value has the right sign.
    pub value: [u64; 2],
    /// Won positions, and those of them whose move wins.
    pub policy: [u64; 2],
}

impl Accuracy {
    pub fn add(&mut self, other: Accuracy) {
        for (mine, theirs) in [
            (&mut self.value, other.value),
            (&mut self.policy, other.policy),
        ] {
            *mine = [mine[0] + theirs[0], mine[1] + theirs[1]];
        }
    }

    /// Counts a position: whether the network thinks that its mover wins, and the move that it would play.
    fn count(
        &mut self,
        table: &Table,
        (board, value): &(Board, Value),
        thinks_win: bool,
        choose: impl FnOnce() -> Option<Move>,
    ) {
        if *value == Value::Draw {
            return;
        }
        let is_win = value.sign() > 0;
        self.value[0] += 1;
        self.value[1] += u64::from(thinks_win == is_win);
        if is_win {
            let after = choose().map(|mv| board.after(mv));
            let value = after.and_then(|after| table.board_value(&after));
            self.policy[0] += 1;
            self.policy[1] += u64::from(value.is_some_and(|value| value.sign() < 0));
        }
    }

    /// Asks a network about positions: its value is the sign of the mover's share, its move the likeliest legal one.
    pub fn of(
        network: &mut Network,
        table: &Table,
        positions: impl Iterator<Item = (Board, Value)>,
    ) -> Result<Accuracy, NetworkError> {
        let mut accuracy = Accuracy::default();
        let mut legal = MoveList::new();
        let mut packed = vec![0; BATCH * Dobutsu::LAYOUT.bytes()];
        let mut positions = positions.peekable();
        while positions.peek().is_some() {
            let batch: Vec<_> = positions.by_ref().take(BATCH).collect();
            let outputs = evaluate(network, &batch, &mut packed)?;
            let answers = outputs
                .policy
                .chunks_exact(Dobutsu::LAYOUT.policy)
                .zip(outputs.value.chunks_exact(Dobutsu::LAYOUT.seats));
            for (position, (logits, shares)) in batch.iter().zip(answers) {
                let board = &position.0;
                accuracy.count(table, position, shares[0] > shares[1], || {
                    legal.clear();
                    board.moves(false, &mut legal);
                    let logit = |mv: &Move| logits[usize::from(Dobutsu::logit(board, *mv))];
                    let likeliest = legal.iter().max_by(|a, b| logit(a).total_cmp(&logit(b)));
                    likeliest.copied()
                });
            }
        }
        Ok(accuracy)
    }
}

/// What a network says of at most [`BATCH`] positions; `packed` is memory for as many.
fn evaluate<'a>(
    network: &'a mut Network,
    batch: &[(Board, Value)],
    packed: &mut [u8],
) -> Result<models::Outputs<'a>, NetworkError> {
    let bytes = Dobutsu::LAYOUT.bytes();
    for ((board, _), packed) in batch.iter().zip(packed.chunks_exact_mut(bytes)) {
        Dobutsu::pack(board, packed);
    }
    network.evaluate(&packed[..batch.len() * bytes], batch.len())
}
