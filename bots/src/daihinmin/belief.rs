//! Which hidden hands fit what the others did: worlds that a particle filter draws in proportion to the likelihood that the
//! policies of the others give to the moves seen.
//!
//! A seat keeps some worlds from decision to decision. Before each decision they are drawn anew from among themselves, by how
//! well each foresaw the moves since the seat's last decision: see W. R. Gilks and C. Berzuini, "Following a moving target: Monte Carlo
//! inference for dynamic Bayesian models", J. R. Stat. Soc. B 63 (2001) 127-146, and for the draw G. Kitagawa, "Monte Carlo filter
//! and smoother for non-Gaussian nonlinear state space models", J. Comput. Graph. Stat. 5 (1996) 1-25. So that the copies of a
//! world become different worlds, every world then exchanges cards between two of the other seats some times, and accepts the
//! exchange by the rule of N. Metropolis et al., "Equation of state calculations by fast computing machines", J. Chem. Phys. 21
//! (1953) 1087-1092.

use std::time::Instant;

use games::daihinmin::{Cards, Meld, Position, SEATS, Table, View, tribute_order};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::information_state::InformationState;
use super::mover::{Mover, Policies, policy_moves};
use super::sampler::below;
use crate::search::is_over;

/// A move that somebody made, with what the mover and everybody else knew.
#[derive(Clone, Copy, Debug)]
struct ObservedMove {
    table: Table,
    counts: [u8; SEATS],
    meld: Meld,
    /// Cards that the mover had laid down before.
    played: Cards,
    /// Cards that anybody had laid down before.
    gone: Cards,
}

impl ObservedMove {
    /// What the mover knew, had it begun the game with this hand.
    fn known(&self, begun: Cards, ranks: Option<[u8; SEATS]>) -> InformationState {
        let hand = begun - self.played;
        InformationState {
            table: self.table,
            hand,
            others: !(self.gone | hand),
            counts: self.counts,
            ranks,
        }
    }
}

/// Hands with which the game may have begun.
#[derive(Clone, Copy, Debug)]
struct World {
    begun: [Cards; SEATS],
    /// Logarithm of the chance of each seat's moves.
    logs: [f32; SEATS],
    /// Moves of each seat that `logs` takes in.
    judged: [usize; SEATS],
    fit: f32,
    /// Logarithm of how much likelier it has become since worlds were last drawn anew.
    gain: f32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct WorldOptions {
    pub(crate) worlds: usize,
    /// Exchanges of cards proposed to each world before a decision.
    pub(crate) steps: usize,
    pub(crate) deadline: Option<Instant>,
}

/// What a seat believes about the hands of the others.
#[derive(Clone, Debug, Default)]
pub(crate) struct HandBelief {
    seen: [Vec<ObservedMove>; SEATS],
    worlds: Vec<World>,
}

impl HandBelief {
    pub(crate) fn clear(&mut self) {
        self.seen.iter_mut().for_each(Vec::clear);
        self.worlds.clear();
    }

    /// Books a move of another seat; `before` is the view before it.
    pub(crate) fn push(&mut self, before: &View, meld: Meld) {
        let table = before.table;
        if before.seat == table.turn || table.is_over() {
            return;
        }
        let mover = usize::from(table.turn);
        self.seen[mover].push(ObservedMove {
            table,
            counts: before.counts,
            meld,
            played: before.played[mover],
            gone: before.played_by_all(),
        });
    }

    /// The moves of another seat in this game with what it knew each time, had it begun with a hand.
    pub(crate) fn decisions(
        &self,
        view: &View,
        seat: usize,
        begun: Cards,
    ) -> impl Iterator<Item = (InformationState, Meld)> {
        let ranks = view.ranks;
        self.seen[seat]
            .iter()
            .map(move |seen| (seen.known(begun, ranks), seen.meld))
    }

    /// Worlds for one decision, the likelier ones more often.
    pub(crate) fn draw(
        &mut self,
        view: &View,
        policies: &Policies<'_>,
        options: WorldOptions,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Vec<Position> {
        let frame = Frame::new(view);
        if !frame.is_open() {
            return (0..options.worlds).map(|_| view.determinize(rng)).collect();
        }
        let is_late = || is_over(options.deadline);
        let mut movers = policies.map(|networks| Mover::new(networks, 1.0));
        let mut worlds = std::mem::take(&mut self.worlds);
        worlds.resize_with(options.worlds, || frame.fresh(rng));
        let mut is_judged = true;
        for world in &mut worlds {
            let before = world.log() - world.gain;
            frame.mend(world, rng);
            if is_late() {
                // Its moves are judged at the next decision.
                is_judged = false;
            } else {
                for (seat, mover) in movers.iter_mut().enumerate() {
                    let begun = world.begun[seat];
                    let from = std::mem::replace(&mut world.judged[seat], self.seen[seat].len());
                    world.logs[seat] += self.log_chance(view, seat, begun, from, mover);
                }
                world.fit = frame.exchange_fit(&world.begun);
            }
            world.gain = world.log() - before;
        }
        if is_judged {
            worlds = drawn_anew(&worlds, rng);
        }
        'steps: for _ in 0..options.steps {
            for world in &mut worlds {
                if is_late() {
                    break 'steps;
                }
                let Some((pair, mut next)) = frame.exchange(world, rng) else {
                    continue;
                };
                for seat in pair {
                    next.logs[seat] =
                        self.log_chance(view, seat, next.begun[seat], 0, &mut movers[seat]);
                }
                next.fit = frame.exchange_fit(&next.begun);
                let difference = next.log() - world.log();
                if rng.random::<f32>() < difference.exp() {
                    *world = next;
                }
            }
        }
        let positions = worlds.iter().map(|world| frame.position(world)).collect();
        self.worlds = worlds;
        positions
    }

    /// Logarithm of the chance of a seat's moves from a number on, had it begun with a hand.
    fn log_chance(
        &self,
        view: &View,
        seat: usize,
        begun: Cards,
        from: usize,
        mover: &mut Mover<'_>,
    ) -> f32 {
        /// No single move may count for more than this: everybody errs.
        const FLOOR: f32 = -5.0;
        let mut sum = 0.0;
        for seen in &self.seen[seat][from..] {
            let known = seen.known(begun, view.ranks);
            policy_moves(&seen.table, known.hand, &mut mover.moves);
            // The policy leaves out melds that waste the joker, which is unlikely and no sure thing.
            let Some(i) = mover.moves.iter().position(|&m| m == seen.meld) else {
                sum += FLOOR;
                continue;
            };
            if mover.moves.len() < 2 {
                continue;
            }
            // A player that can go out does: to have passed or played less speaks against the world.
            let cards = known.hand.len();
            if mover.moves.iter().any(|m| u32::from(m.len()) == cards) {
                if u32::from(seen.meld.len()) != cards {
                    sum += FLOOR;
                }
                continue;
            }
            sum += mover.log_chances(&known)[i].max(FLOOR);
        }
        sum
    }
}

struct Frame<'a> {
    view: &'a View,
    rivals: Vec<usize>,
    /// Cards that a seat is known to hold.
    pinned: [Cards; SEATS],
    barred: [Cards; SEATS],
    /// Poor seat, rich seat and number of cards of the exchanges that the seat had no part in.
    exchanges: Vec<(usize, usize, usize)>,
}

impl Frame<'_> {
    fn new(view: &View) -> Frame<'_> {
        let me = usize::from(view.seat);
        let seat_of = |place: u8| view.ranks?.iter().position(|&rank| rank == place);
        let exchange = |(poor, rich, n)| Some((seat_of(poor)?, seat_of(rich)?, n));
        let exchanges = [(4, 0, 2), (3, 1, 1)].into_iter().filter_map(exchange);
        Frame {
            view,
            rivals: (0..SEATS)
                .filter(|&s| s != me && view.counts[s] > 0)
                .collect(),
            pinned: std::array::from_fn(|s| view.known_hand(s as u8)),
            barred: std::array::from_fn(|s| view.impossible_for(s as u8)),
            exchanges: exchanges.filter(|&(p, r, _)| p != me && r != me).collect(),
        }
    }

    /// Whether more than one world is possible, and all cards are accounted for: a server may have lost one.
    fn is_open(&self) -> bool {
        let counts = self.rivals.iter().map(|&s| u32::from(self.view.counts[s]));
        self.rivals.len() > 1 && counts.sum::<u32>() == self.view.unseen().len()
    }

    fn fresh(&self, rng: &mut Xoshiro256PlusPlus) -> World {
        let hands = self.view.determinize(rng).hands;
        World {
            begun: std::array::from_fn(|s| hands[s] | self.view.played[s]),
            logs: [0.0; SEATS],
            judged: [0; SEATS],
            fit: 0.0,
            gain: 0.0,
        }
    }

    /// Gives each seat the cards that it has laid down since, in exchange for others that it may have.
    fn mend(&self, world: &mut World, rng: &mut Xoshiro256PlusPlus) {
        let view = self.view;
        for seat in (0..SEATS).filter(|&s| s != usize::from(view.seat)) {
            for card in (view.played[seat] - world.begun[seat]).iter() {
                let card = Cards::from(card);
                let holder = (0..SEATS).find(|&s| world.begun[s].contains_all(card));
                let Some(holder) = holder else { continue };
                let held = world.begun[seat] - view.played[seat];
                let free = held - self.pinned[seat] - self.barred[holder];
                let free = if free.is_empty() { held } else { free };
                if free.is_empty() {
                    continue;
                }
                let given = Cards::from(free.nth(below(rng, free.len())));
                world.swap([seat, holder], [given, card]);
            }
        }
        let fits = |seat: usize| {
            let held = world.begun[seat] - view.played[seat];
            world.begun[seat].contains_all(view.played[seat])
                && held.len() == u32::from(view.counts[seat])
                && held.contains_all(self.pinned[seat])
                && (held & self.barred[seat]).is_empty()
        };
        if !self.rivals.iter().all(|&seat| fits(seat)) {
            *world = self.fresh(rng);
        }
    }

    /// A world in which two seats have exchanged a card, and these seats; its logarithms are those of before.
    fn exchange(&self, world: &World, rng: &mut Xoshiro256PlusPlus) -> Option<([usize; 2], World)> {
        let n = self.rivals.len() as u32;
        let first = below(rng, n);
        let second = (first + 1 + below(rng, n - 1)) % n;
        let pair = [first, second].map(|i| self.rivals[i as usize]);
        let free = pair.map(|s| world.begun[s] - self.view.played[s] - self.pinned[s]);
        if free.iter().any(|cards| cards.is_empty()) {
            return None;
        }
        let cards = free.map(|cards| Cards::from(cards.nth(below(rng, cards.len()))));
        let is_barred = |card: Cards, seat: usize| self.barred[seat].contains_all(card);
        if is_barred(cards[0], pair[1]) || is_barred(cards[1], pair[0]) {
            return None;
        }
        let mut next = *world;
        next.swap(pair, cards);
        next.judged = world.judged;
        Some((pair, next))
    }

    /// How well the hands of rich and poor fit their exchange: the poor kept nothing above what the rich took, but for cards
    /// given back, which are seldom high.
    fn exchange_fit(&self, begun: &[Cards; SEATS]) -> f32 {
        const PENALTY: f32 = -2.0;
        let missing = |&(poor, rich, n): &(usize, usize, usize)| {
            let highest = begun[poor].iter().map(tribute_order).max().unwrap_or(0);
            let kept = begun[rich].iter();
            let above = kept.filter(|&card| tribute_order(card) > highest).count();
            n.saturating_sub(above) as f32
        };
        PENALTY * self.exchanges.iter().map(missing).sum::<f32>()
    }

    fn position(&self, world: &World) -> Position {
        let mut hands = std::array::from_fn(|s| world.begun[s] - self.view.played[s]);
        hands[usize::from(self.view.seat)] = self.view.hand;
        Position {
            table: self.view.table,
            hands,
        }
    }
}

/// As many worlds, drawn from among these in proportion to their gains: the number of copies of each is its share, rounded up or
/// down at random.
fn drawn_anew(worlds: &[World], rng: &mut Xoshiro256PlusPlus) -> Vec<World> {
    let gains = worlds.iter().map(|world| world.gain);
    let top = gains.clone().fold(f32::NEG_INFINITY, f32::max);
    let weights = gains.map(|gain| f64::from(gain - top).exp());
    let step = weights.clone().sum::<f64>() / worlds.len() as f64;
    let mut mark = rng.random::<f64>() * step;
    let mut sum = 0.0;
    let mut drawn = Vec::with_capacity(worlds.len());
    for (world, weight) in worlds.iter().zip(weights) {
        sum += weight;
        while mark < sum && drawn.len() < worlds.len() {
            drawn.push(World {
                gain: 0.0,
                ..*world
            });
            mark += step;
        }
    }
    // By rounding the last mark may lie beyond the sum.
    drawn.resize(worlds.len(), drawn[drawn.len() - 1]);
    drawn
}

impl World {
    fn log(&self) -> f32 {
        self.logs.iter().sum::<f32>() + self.fit
    }

    /// Two seats exchange these cards; what their moves say must be judged anew.
    fn swap(&mut self, pair: [usize; 2], cards: [Cards; 2]) {
        for (i, seat) in pair.into_iter().enumerate() {
            self.begun[seat] = (self.begun[seat] - cards[i]) | cards[1 - i];
            self.logs[seat] = 0.0;
            self.judged[seat] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::daihinmin::DaihinminNetworks;
    use games::daihinmin::{Dealer, Session, SessionRules, legal_moves};
    use rand::SeedableRng;

    /// In games of players that follow the policy, inferred worlds must be nearer the true hands
    /// than uniform ones.
    #[test]
    fn inferred_hands_are_nearer_the_truth() {
        let networks = DaihinminNetworks::built_in();
        let mut mover = Mover::new(&networks, 1.0);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut session = Session::new(SessionRules::default(), Dealer::plain(5));
        let mut hits = [0_u32; 2];
        let mut cards = 0;
        for _ in 0..16 {
            let mut position = session.deal().start();
            let mut view = View::at_start(&position, 0);
            let mut belief = HandBelief::default();
            let mut ply = 0;
            while !position.table.is_over() && !position.hands[0].is_empty() {
                ply += 1;
                if ply % 10 == 0 {
                    let options = WorldOptions {
                        worlds: 20,
                        steps: 20,
                        deadline: None,
                    };
                    let uniform = (0..20)
                        .map(|_| view.determinize(&mut rng))
                        .collect::<Vec<_>>();
                    let inferred = belief.draw(&view, &[&networks; SEATS], options, &mut rng);
                    for (hits, worlds) in hits.iter_mut().zip([uniform, inferred]) {
                        for world in worlds {
                            for seat in 1..5 {
                                *hits += (world.hands[seat] & position.hands[seat]).len();
                            }
                        }
                    }
                    cards += 20 * view.unseen().len();
                }
                let meld = mover.draw(&InformationState::in_position(&position, None), &mut rng);
                belief.push(&view, meld);
                view.follow(meld).expect("legal");
                position.play_unchecked(meld);
            }
            session.finish([0, 1, 2, 3, 4]);
        }
        let share = hits.map(|h| f64::from(h) / f64::from(cards));
        assert!(share[1] > share[0] + 0.03, "{share:?}");
    }

    /// A meld that the policy does not even list speaks against a hand; it once said nothing, and so for it.
    #[test]
    fn a_wasted_joker_speaks_against_a_hand() {
        let networks = DaihinminNetworks::built_in();
        let mut mover = Mover::new(&networks, 1.0);
        let mut session = Session::new(SessionRules::default(), Dealer::plain(2));
        let (mut legal, mut listed) = (Vec::new(), Vec::new());
        let mut wasted = 0;
        for _ in 0..60 {
            let position = session.deal().start();
            let seat = usize::from(position.table.turn);
            let hand = position.hand();
            legal_moves(&position.table, hand, &mut legal);
            policy_moves(&position.table, hand, &mut listed);
            let view = View::at_start(&position, (seat as u8 + 1) % SEATS as u8);
            let waste = legal.iter().find(|m| !m.is_pass() && !listed.contains(m));
            if let Some(&meld) = waste {
                let mut belief = HandBelief::default();
                belief.push(&view, meld);
                let log = belief.log_chance(&view, seat, hand, 0, &mut mover);
                assert!((log + 5.0).abs() < 1e-6, "{log}");
                wasted += 1;
            }
            session.finish([0, 1, 2, 3, 4]);
        }
        assert!(wasted > 5, "{wasted}");
    }

    #[test]
    fn a_world_is_copied_in_proportion_to_its_gain() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        for _ in 0..100 {
            let world = |number: usize| World {
                begun: [Cards::EMPTY; SEATS],
                logs: [0.0; SEATS],
                judged: [number; SEATS],
                fit: 0.0,
                gain: -20.0 * rng.random::<f32>().powi(3),
            };
            let worlds: Vec<World> = (0..50).map(world).collect();
            let sum: f32 = worlds.iter().map(|world| world.gain.exp()).sum();
            let drawn = drawn_anew(&worlds, &mut rng);
            assert_eq!(drawn.len(), worlds.len());
            assert!(drawn.iter().all(|world| world.gain == 0.0));
            for world in &worlds {
                let copies = drawn.iter().filter(|d| d.judged == world.judged).count();
                let share = 50.0 * world.gain.exp() / sum;
                assert!((copies as f32 - share).abs() < 1.001, "{copies} {share}");
            }
        }
    }

    type Chances = BTreeMap<(usize, u8), f64>;

    /// Adds the chance of a world to those of its cards.
    fn add(chances: &mut Chances, hands: &[Cards; SEATS], chance: f64) {
        for (seat, hand) in hands.iter().enumerate() {
            for card in hand.iter() {
                *chances.entry((seat, card.index())).or_default() += chance;
            }
        }
    }

    /// Calls `each` with all ways to give the other seats the cards that are left.
    fn each_deal(
        frame: &Frame<'_>,
        left: &[Cards],
        hands: [Cards; SEATS],
        each: &mut dyn FnMut([Cards; SEATS]),
    ) {
        let Some((&card, left)) = left.split_first() else {
            let fits = |&s: &usize| hands[s].contains_all(frame.pinned[s]);
            if frame.rivals.iter().all(fits) {
                each(hands);
            }
            return;
        };
        for &seat in &frame.rivals {
            let has_room = hands[seat].len() < u32::from(frame.view.counts[seat]);
            if has_room && !frame.barred[seat].contains_all(card) {
                let mut next = hands;
                next[seat] |= card;
                each_deal(frame, left, next, each);
            }
        }
    }

    /// The oracle: the chance of each card to be in each hand, by all possible worlds.
    fn exact(belief: &HandBelief, view: &View, networks: &DaihinminNetworks) -> Chances {
        let frame = Frame::new(view);
        let left: Vec<Cards> = view.unseen().iter().map(Cards::from).collect();
        let mut mover = Mover::new(networks, 1.0);
        let (mut chances, mut sum) = (Chances::new(), 0.0);
        each_deal(&frame, &left, [Cards::EMPTY; SEATS], &mut |hands| {
            let begun: [Cards; SEATS] = std::array::from_fn(|s| hands[s] | view.played[s]);
            let log = |&s: &usize| belief.log_chance(view, s, begun[s], 0, &mut mover);
            let log = frame.rivals.iter().map(log).sum::<f32>() + frame.exchange_fit(&begun);
            let chance = f64::from(log).exp();
            sum += chance;
            add(&mut chances, &hands, chance);
        });
        for chance in chances.values_mut() {
            *chance /= sum;
        }
        chances
    }

    fn error(found: &Chances, exact: &Chances) -> f64 {
        let squares = exact.iter().map(|(key, chance)| {
            let found = found.get(key).copied().unwrap_or_default();
            (found - chance).powi(2)
        });
        squares.sum::<f64>() / exact.len() as f64
    }

    /// Towards the end of a game, worlds that were kept and drawn anew from its beginning on have the chances that all possible
    /// worlds give.
    #[test]
    fn worlds_have_the_chances_of_the_oracle() {
        let networks = DaihinminNetworks::built_in();
        let policies = [&networks; SEATS];
        let mut mover = Mover::new(&networks, 0.5);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
        let mut session = Session::new(SessionRules::default(), Dealer::plain(8));
        let options = WorldOptions {
            worlds: 200,
            steps: 4,
            deadline: None,
        };
        let (mut errors, mut of_uniform) = (Vec::new(), Vec::new());
        for _ in 0..24 {
            let mut position = session.deal().start();
            let mut view = View::at_start(&position, 0);
            let mut belief = HandBelief::default();
            while !position.table.is_over() {
                if position.table.turn == 0 {
                    let worlds = belief.draw(&view, &policies, options, &mut rng);
                    if view.unseen().len() <= 7 && Frame::new(&view).is_open() {
                        let mut found = Chances::new();
                        for world in &worlds {
                            let mut hands = world.hands;
                            hands[0] = Cards::EMPTY;
                            add(&mut found, &hands, 1.0 / worlds.len() as f64);
                        }
                        let exact = exact(&belief, &view, &networks);
                        errors.push(error(&found, &exact));
                        let mut uniform = Chances::new();
                        for _ in 0..200 {
                            let mut hands = view.determinize(&mut rng).hands;
                            hands[0] = Cards::EMPTY;
                            add(&mut uniform, &hands, 1.0 / 200.0);
                        }
                        of_uniform.push(error(&uniform, &exact));
                    }
                }
                let meld = mover.draw(&InformationState::in_position(&position, None), &mut rng);
                belief.push(&view, meld);
                view.follow(meld).expect("legal");
                position.play_unchecked(meld);
            }
            session.finish([0, 1, 2, 3, 4]);
        }
        let mean = |errors: &[f64]| errors.iter().sum::<f64>() / errors.len() as f64;
        let (found, uniform) = (mean(&errors), mean(&of_uniform));
        assert!(errors.len() > 10, "{}", errors.len());
        assert!(found < 0.1 * uniform, "{found} {uniform}");
    }

    /// Where there is no time to judge a world, what it gains is judged at a later decision, whatever cards it has exchanged until
    /// then.
    #[test]
    fn gains_add_up_over_decisions_without_time() {
        let networks = DaihinminNetworks::built_in();
        let policies = [&networks; SEATS];
        let mut mover = Mover::new(&networks, 0.5);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let mut session = Session::new(SessionRules::default(), Dealer::plain(4));
        let options = |deadline| WorldOptions {
            worlds: 20,
            steps: 4,
            deadline,
        };
        let mut exchanged = 0;
        for _ in 0..10 {
            let mut position = session.deal().start();
            let mut view = View::at_start(&position, 0);
            let mut belief = HandBelief::default();
            let mut bases: Vec<f32> = Vec::new();
            for ply in 0..30 {
                if ply == 10 {
                    belief.draw(&view, &policies, options(None), &mut rng);
                    bases = belief.worlds.iter().map(World::log).collect();
                } else if ply > 10 && Frame::new(&view).is_open() {
                    let before: Vec<_> = belief.worlds.iter().map(|world| world.begun).collect();
                    let late = options(Some(Instant::now()));
                    belief.draw(&view, &policies, late, &mut rng);
                    for (i, world) in belief.worlds.iter().enumerate() {
                        let base = world.log() - world.gain;
                        assert!((base - bases[i]).abs() < 1e-3, "{base} {}", bases[i]);
                        exchanged += usize::from(world.begun != before[i]);
                    }
                }
                if position.table.is_over() {
                    break;
                }
                let meld = mover.draw(&InformationState::in_position(&position, None), &mut rng);
                belief.push(&view, meld);
                view.follow(meld).expect("legal");
                position.play_unchecked(meld);
            }
            session.finish([0, 1, 2, 3, 4]);
        }
        assert!(exchanged > 20, "{exchanged}");
    }
}
