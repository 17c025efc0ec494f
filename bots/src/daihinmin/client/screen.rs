//! Daihinmin on the screen of a terminal.

use games::daihinmin::{Card, Cards, Meld, SEATS, Suit, legal_moves};
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};

use super::game::{Choice, Daihinmin, Sight};
use crate::client::ClientGame;
use crate::client::screen::{Key, Mark, Picture, Pressed, ScreenGame, Table};

/// Columns of the table: those of a hand with two gifts, nearly.
const WIDTH: usize = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pick {
    cursor: u32,
    chosen: Cards,
    /// Which of the melds of the same cards is played: the joker may stand for several.
    reading: usize,
}

/// Every legal choice; with the joker in each of its places.
fn choices(sight: &Sight) -> Vec<Choice> {
    if sight.owes > 0 {
        return Daihinmin::legal_moves(sight);
    }
    let mut melds = Vec::new();
    legal_moves(&sight.view.table, sight.view.hand, &mut melds);
    melds.into_iter().map(Choice::Play).collect()
}

const fn cards_of(choice: Choice) -> Cards {
    match choice {
        Choice::Give(cards) => cards,
        Choice::Play(meld) => meld.cards(),
    }
}

/// The choices that exactly these cards make.
fn readings(sight: &Sight, chosen: Cards) -> Vec<Choice> {
    let mut choices = choices(sight);
    choices.retain(|choice| !chosen.is_empty() && cards_of(*choice) == chosen);
    choices.dedup();
    choices
}

const fn suit_sign(suit: Suit) -> char {
    match suit {
        Suit::Spade => '♠',
        Suit::Heart => '♥',
        Suit::Diamond => '♦',
        Suit::Club => '♣',
    }
}

/// A card or a place of the notation with the sign of its suit; the joker is a star, after the card that it stands for.
fn sign(pair: &[char]) -> String {
    let [letter, rank] = *pair else {
        return pair.iter().collect();
    };
    let row = |letters: &str| letters.chars().position(|l| l == letter);
    let suit = |row: usize| Suit::from_row(row as u8).map_or('?', suit_sign);
    match (row("SHDC"), row("KLMN")) {
        (Some(row), _) => format!("{}{rank}", suit(row)),
        (None, _) if rank == 'x' => "★".to_owned(),
        (None, Some(row)) => format!("{}{rank}★", suit(row)),
        (None, None) => format!("{rank}★"),
    }
}

/// Cards in the notation, with the signs of their suits.
fn signs(text: &str) -> String {
    if text == "pass" {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let cards: Vec<String> = letters.chunks(2).map(sign).collect();
    cards.join(" ")
}

/// A card of a hand in two columns.
fn face(card: Card) -> String {
    if card.is_joker() {
        return "★ ".to_owned();
    }
    let letters: Vec<char> = card.to_string().chars().collect();
    sign(&letters)
}

fn style_of(card: Card) -> Style {
    let is_red = !card.is_joker() && matches!(card.row(), 1 | 2);
    Style::new().fg(if is_red {
        Color::LightRed
    } else {
        Color::White
    })
}

/// What Enter does with the cards that are chosen.
fn outlook(sight: &Sight, pick: &Pick) -> String {
    let readings = readings(sight, pick.chosen);
    let verb = if sight.owes > 0 { "gives" } else { "plays" };
    match readings.len() {
        0 if pick.chosen.is_empty() => String::new(),
        0 => "These cards are no legal set.".to_owned(),
        count => {
            let choice = readings[pick.reading % count];
            let others = if count > 1 {
                "; / takes another place of the joker"
            } else {
                ""
            };
            format!("Enter {verb} {}{others}.", signs(&choice.to_string()))
        }
    }
}

/// Whether nothing but a pass can be played.
fn must_pass(sight: &Sight) -> bool {
    sight.owes == 0 && Daihinmin::legal_moves(sight) == [Choice::Play(Meld::PASS)]
}

impl ScreenGame for Daihinmin {
    type Pick = Pick;

    const TITLE: &'static str = "Daihinmin";

    fn keys(sight: &Sight) -> &'static str {
        if sight.owes > 0 {
            "Arrows, Space takes a card, Enter gives"
        } else if must_pass(sight) {
            "No cards of yours can be played now: Enter or p passes"
        } else {
            "Arrows, Space takes a card, Enter plays, p passes"
        }
    }

    fn start(_: &Sight) -> Pick {
        Pick {
            cursor: 0,
            chosen: Cards::EMPTY,
            reading: 0,
        }
    }

    fn aim(sight: &Sight, choice: Choice) -> Pick {
        let chosen = cards_of(choice);
        let readings = readings(sight, chosen);
        Pick {
            cursor: 0,
            chosen,
            reading: readings.iter().position(|c| *c == choice).unwrap_or(0),
        }
    }

    /// All but the pass, which has a key.
    fn near(sight: &Sight, _: &Pick) -> Vec<Choice> {
        let mut moves = Self::legal_moves(sight);
        moves.retain(|choice| !cards_of(*choice).is_empty());
        moves
    }

    fn press(sight: &Sight, pick: &mut Pick, key: Key) -> Pressed<Choice> {
        let count = sight.view.hand.len().max(1);
        match key {
            Key::Left => pick.cursor = (pick.cursor + count - 1) % count,
            Key::Right => pick.cursor = (pick.cursor + 1) % count,
            Key::Up | Key::Down | Key::Char(' ') => {
                let card = sight.view.hand.iter().nth(pick.cursor as usize);
                let card = card.map_or(0, |card| Cards::from(card).bits());
                let bits = match key {
                    Key::Up => pick.chosen.bits() | card,
                    Key::Down => pick.chosen.bits() & !card,
                    _ => pick.chosen.bits() ^ card,
                };
                pick.chosen = Cards::from_bits(bits);
                pick.reading = 0;
            }
            Key::Char('/') => {
                let count = readings(sight, pick.chosen).len().max(1);
                pick.reading = (pick.reading + 1) % count;
            }
            Key::Escape => *pick = Self::start(sight),
            Key::Char('p') if sight.owes == 0 => {
                return Pressed::Move(Choice::Play(Meld::PASS));
            }
            Key::Enter => {
                let readings = readings(sight, pick.chosen);
                return match readings.len() {
                    0 if must_pass(sight) => Pressed::Move(Choice::Play(Meld::PASS)),
                    0 if sight.owes > 0 => Pressed::Say(format!("You give {}.", sight.owes)),
                    0 if pick.chosen.is_empty() => {
                        Pressed::Say("Space takes cards; p passes.".to_owned())
                    }
                    0 => Pressed::Say("These cards are no legal set.".to_owned()),
                    count => Pressed::Move(readings[pick.reading % count]),
                };
            }
            _ => return Pressed::Nothing,
        }
        Pressed::Picked
    }

    /// The field, the players in turn order with what each has done last, and the hand: chosen cards are raised, dots are
    /// below those that make a legal set with them.
    fn paint(sight: &Sight, pick: Option<&Pick>, table: &Table) -> Picture {
        let view = &sight.view;
        let bold = Style::new().add_modifier(Modifier::BOLD);
        // The column beside stays where it is.
        let mut board = vec![Line::raw(" ".repeat(WIDTH))];
        if sight.owes > 0 {
            let (n, cards) = (sight.owes, if sight.owes == 1 { "card" } else { "cards" });
            let to = view.exchanged.partner;
            let to = to.map_or(String::new(), |seat| {
                format!(" to {}", table.name(usize::from(seat)))
            });
            board.push(Line::styled(format!("You give {n} {cards}{to}."), bold));
            board.push(Line::raw(""));
        } else {
            let field = match view.table.field {
                field if field.is_pass() => "empty".to_owned(),
                field => signs(&field.to_string()),
            };
            board.push(Line::from(vec![
                Span::raw("Field: "),
                Span::styled(field, bold),
            ]));
            let mut line = Vec::new();
            for (is, text) in [
                (view.table.lock, "LOCK: the field's suits  "),
                (view.table.revolution, "REVOLUTION: low beats high"),
            ] {
                line.extend(is.then(|| Span::styled(text, bold.fg(Color::LightYellow))));
            }
            board.push(Line::from(line));
        }
        for seat in 0..SEATS as u8 {
            let at = usize::from(seat);
            let state = match () {
                () if sight.owes > 0 => "",
                () if !view.table.is_alive(seat) => "out",
                () if view.table.has_passed(seat) => "passed",
                () => "",
            };
            let about = format!(
                "{:>2} card{} {state:<7}{}",
                view.counts[at],
                if view.counts[at] == 1 { " " } else { "s" },
                signs(table.last_of(at))
            );
            board.push(table.line(at, [Span::raw(about)]));
        }
        board.push(Line::raw(""));
        let hand: Vec<Card> = view.hand.iter().collect();
        let chosen = pick.map_or(Cards::EMPTY, |pick| pick.chosen);
        let useful = choices(sight)
            .into_iter()
            .map(cards_of)
            .filter(|cards| cards.contains_all(chosen))
            .fold(0, |all, cards| all | cards.bits());
        let useful = Cards::from_bits(if pick.is_some() { useful } else { 0 });
        let row = |is_raised: bool| {
            let cards = hand.iter().enumerate().map(|(at, card)| {
                if chosen.contains(*card) != is_raised {
                    return Span::raw("    ");
                }
                let mark = match pick {
                    Some(pick) if pick.cursor as usize == at => Mark::Cursor,
                    _ => Mark::None,
                };
                let style = style_of(*card);
                let style = match pick {
                    Some(_) if !useful.contains(*card) => style.add_modifier(Modifier::DIM),
                    _ => style.add_modifier(Modifier::BOLD),
                };
                mark.span(&face(*card), style)
            });
            cards.collect::<Line<'_>>()
        };
        board.extend([row(true), row(false)]);
        let dots = hand.iter().map(|card| {
            if useful.contains(*card) {
                " ·  "
            } else {
                "    "
            }
        });
        board.push(Line::raw(dots.collect::<String>()));
        board.push(Line::raw(
            pick.map_or(String::new(), |pick| outlook(sight, pick)),
        ));
        Picture {
            board,
            beside: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use games::daihinmin::{Position, Rules, View};
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::client::Act;
    use crate::client::screen::testing::{
        Sitting, assert_reached, assert_screen, assert_typed_and_tabbed,
    };

    const NAMES: [&str; SEATS] = ["ana", "bo", "cleo", "dan", "eve"];

    /// At the start of a game with this hand, which leads.
    fn sight(hand: &str, owes: u32) -> Sight {
        let hands = [hand, "S6D6", "S7H7C7", "S8", "S9"].map(|text| text.parse().expect("cards"));
        let view = View::at_start(&Position::new(hands, Rules::default()), 0);
        Sight {
            view,
            owes,
            player_at: [0, 1, 2, 3, 4],
        }
    }

    #[test]
    fn cards_are_raised_and_played() {
        let mut sitting = Sitting::<Daihinmin>::new(&NAMES, 0);
        let mut sight = sight("D3S4H5D5D8CTSQHAJ3", 0);
        sight.view.table.lay("C4".parse().expect("a meld"), false);
        sitting.moved(4, "C4");
        sitting.said("Player 4 plays C4, 1 left.");
        let keys = [Key::Right, Key::Right, Key::Char(' ')];
        assert!(sitting.press(&sight, true, &keys).is_none());
        assert_screen(&sitting.text(), "daihinmin");
        let made = sitting.press(&sight, true, &[Key::Enter]);
        assert!(matches!(made, Some(Act::Move(decision)) if decision.mv.to_string() == "H5"));
        let passed = sitting.press(&sight, true, &[Key::Char('p')]);
        assert!(matches!(passed, Some(Act::Move(decision)) if decision.mv.to_string() == "pass"));
    }

    #[test]
    fn enter_passes_where_nothing_else_can_be_played() {
        let mut sitting = Sitting::<Daihinmin>::new(&NAMES, 0);
        let mut sight = sight("D3S4", 0);
        sight.view.table.lay("C2".parse().expect("a meld"), false);
        assert!(Daihinmin::keys(&sight).contains("Enter or p passes"));
        let made = sitting.press(&sight, true, &[Key::Enter]);
        assert!(matches!(made, Some(Act::Move(decision)) if decision.mv.to_string() == "pass"));
    }

    #[test]
    fn the_joker_takes_another_place_and_gifts_are_counted() {
        let mut sitting = Sitting::<Daihinmin>::new(&NAMES, 0);
        let leads = sight("D5J3", 0);
        let keys = [Key::Up, Key::Right, Key::Up, Key::Char('/'), Key::Enter];
        let made = sitting.press(&leads, true, &keys);
        let all = readings(&leads, leads.view.hand);
        assert!(all.len() > 2);
        assert!(matches!(made, Some(Act::Move(decision)) if decision.mv == all[1]));
        let gives = sight("D3S4J3", 2);
        let keys = [Key::Up, Key::Enter, Key::Right, Key::Up, Key::Enter];
        let made = sitting.press(&gives, true, &keys);
        assert!(matches!(made, Some(Act::Move(decision)) if decision.mv.to_string() == "S4D3"));
    }

    #[test]
    fn every_choice_is_reached() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(18);
        for round in 0..12 {
            // Small hands: every set of cards is tried.
            let mut all: Vec<Card> = Cards::ALL.iter().collect();
            let hands: [Cards; SEATS] = std::array::from_fn(|_| {
                let mut hand = Cards::EMPTY;
                for _ in 0..6 {
                    hand.insert(all.swap_remove(rng.random_range(0..all.len())));
                }
                hand
            });
            let mut position = Position::new(hands, Rules::default());
            let mut moves = Vec::new();
            while !position.table.is_over() && !position.table.is_stalled() {
                let seat = position.table.turn;
                let view = View::at_start(&position, seat);
                let sight = Sight {
                    view,
                    owes: 0,
                    player_at: [0, 1, 2, 3, 4],
                };
                let is_wide = choices(&sight).len() > 3;
                if is_wide {
                    assert_reached::<Daihinmin>(&sight);
                    for choice in choices(&sight) {
                        let mut pick = Daihinmin::aim(&sight, choice);
                        let pressed = match choice {
                            Choice::Play(meld) if meld.is_pass() => continue,
                            _ => Daihinmin::press(&sight, &mut pick, Key::Enter),
                        };
                        assert!(pressed == Pressed::Move(choice));
                    }
                }
                legal_moves(
                    &position.table,
                    position.hands[usize::from(seat)],
                    &mut moves,
                );
                let mv = moves[rng.random_range(0..moves.len())];
                position.play(mv).expect("a legal move");
            }
            let gives = Sight {
                view: View::at_start(&Position::new(hands, Rules::default()), 0),
                owes: 1 + round % 2,
                player_at: [0, 1, 2, 3, 4],
            };
            assert_typed_and_tabbed::<Daihinmin>(&gives);
            assert_reached::<Daihinmin>(&gives);
        }
    }
}
