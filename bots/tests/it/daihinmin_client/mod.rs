//! The Daihinmin client over real sockets, and its tracker beside what each seat truly may know.

mod person;
mod sockets;
mod tracker;

use games::daihinmin::{Cards, Dealer, Meld, Position, Session, SessionRules, is_legal};

/// What happens at a table, told to five players: a match server with nothing but the rules.
trait Players {
    fn deal(&mut self, deal: &games::daihinmin::Deal, session: &Session);
    fn gift(&mut self, deal: &games::daihinmin::Deal, seat: u8, owed: u32) -> Cards;
    fn hand(&mut self, position: &Position, player_at: [u8; 5]);
    fn play(&mut self, position: &Position, player: u8) -> Meld;
    fn field(&mut self, mover: u8, meld: Meld, position: &Position, player_at: [u8; 5]);
    fn end(&mut self, code: i32, position: &Position, player_at: [u8; 5]);
}

fn run_match(games: u32, seed: u64, players: &mut impl Players) -> [u32; 5] {
    let rules = SessionRules {
        rank_reset: 7,
        ..SessionRules::default()
    };
    let mut session = Session::new(rules, Dealer::plain(seed));
    for game in 1..=games {
        let mut deal = session.deal();
        players.deal(&deal, &session);
        for owed in [2, 1] {
            if let Some(seat) = (0..5_u8).find(|&seat| deal.owes[usize::from(seat)] == owed) {
                let gift = players.gift(&deal, seat, owed);
                deal.give(seat, gift);
            }
        }
        let mut position = deal.start();
        let at = deal.player_at;
        loop {
            players.hand(&position, at);
            let mover = at[usize::from(position.table.turn)];
            let asked = players.play(&position, mover);
            let legal = is_legal(&position.table, position.hand(), asked).is_ok();
            let meld = if legal { asked } else { Meld::PASS };
            position.lay(meld, meld.cards());
            players.field(mover, meld, &position, at);
            position.table.advance();
            if position.table.is_stalled() {
                session.settle_stall(&mut position);
            }
            let over = position.table.is_over();
            let code = i32::from(over) + i32::from(over && game == games);
            players.end(code, &position, at);
            if over {
                break;
            }
        }
        session.finish(position.table.places);
    }
    session.points()
}

fn by_player(values: [u8; 5], player_at: [u8; 5]) -> [u8; 5] {
    let mut out = [0; 5];
    for (seat, &player) in player_at.iter().enumerate() {
        out[usize::from(player)] = values[seat];
    }
    out
}

fn shown(deal: &games::daihinmin::Deal, player: usize) -> Cards {
    let seat = usize::from(deal.seat_of(player as u8));
    let poor = deal.ranked && deal.ranks[player] >= 3;
    if poor {
        deal.dealt[seat]
    } else {
        deal.hands[seat]
    }
}

fn owed(deal: &games::daihinmin::Deal, player: usize) -> u32 {
    deal.owes[usize::from(deal.seat_of(player as u8))]
}
