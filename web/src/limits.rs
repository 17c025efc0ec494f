//! What one address may use.

use std::collections::HashMap;
use std::fmt::{self, Display};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use program::{NoPermit, Permits, network_of};
use protocol::native::RateLimit;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections at the same time, from one address and in all. Those of this machine have the second limit alone.
const CONNECTIONS: usize = 64;
const MOST_CONNECTIONS: usize = 1024;
/// Tables at the same time, by one address and in all.
const TABLES: usize = 8;
const MOST_TABLES: usize = 32;
/// Bots that run at the same time for one address.
const BOTS: usize = 24;
/// Large answers that are made or sent at the same time, to one address and in all; each takes memory until it is read. Half
/// of all are to this machine.
const ANSWERS: usize = 2;
const MOST_ANSWERS: usize = 16;
/// Files of records that are read at the same time, for one address and in all: each may take as much memory as its views.
const READS: usize = 2;
const MOST_READS: usize = 4;
/// Searches of hints and exact values in records at the same time, for one address and in all.
const SEARCHES: usize = 1;
const MOST_SEARCHES: usize = 2;
/// Texts that become records at the same time, for one address and in all.
const IMPORTS: usize = 1;
const MOST_IMPORTS: usize = 4;
/// Addresses that are kept with their rates before those of no more use are forgotten.
const MOST_ADDRESSES: usize = 4096;
/// Costs of a new table, and of one in which a move is taken back. One address makes ten at once, and one more in six seconds.
pub(crate) const NEW_TABLE: usize = 24;
pub(crate) const TAKE_BACK: usize = 6;
const OF_TABLES: RateLimit = RateLimit::new(10 * NEW_TABLE, 4);
/// The cost of a message of a page. One page sends sixty at once, and twenty more in a second.
pub(crate) const MESSAGE: usize = 100;
pub(crate) const OF_MESSAGES: RateLimit = RateLimit::new(60 * MESSAGE, 20 * MESSAGE);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Connections,
    AllTables,
    Tables,
    Bots,
    /// The rate, which has room after this time.
    Rate(Duration),
}

impl Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = "end a table; one that no page shows ends after a minute";
        match self {
            Limit::Connections => f.write_str("too many connections"),
            Limit::AllTables => write!(
                f,
                "all {MOST_TABLES} tables of this page are in use: try again later"
            ),
            Limit::Tables => write!(f, "you have {TABLES} tables already: {way}"),
            Limit::Bots => write!(
                f,
                "at most {BOTS} bots play at your tables at the same time: {way}"
            ),
            Limit::Rate(wait) => {
                let seconds = wait.as_secs_f64().ceil().max(1.0);
                write!(f, "that was too fast: try again in {seconds} s")
            }
        }
    }
}

pub(crate) struct Limits {
    connections: Permits,
    /// Connections, and requests that a proxy passes on, each of which stands for a connection of its visitor.
    visits: Permits,
    tables: Permits,
    bots: Permits,
    rates: Mutex<HashMap<IpAddr, RateLimit>>,
    begun: Instant,
}

/// Something in use; it is given back with this.
#[derive(Debug)]
pub(crate) struct Permit {
    _one: program::Permit,
    _other: Option<program::Permit>,
}

/// A request: where it comes from, and its part of the limits.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) address: IpAddr,
    /// The permit of the connection, and that of the request where a proxy passes it on.
    #[expect(dead_code, reason = "they are given back with this")]
    pub(crate) permit: Arc<Permit>,
    pub(crate) request: Option<Arc<Permit>>,
    pub(crate) listening: SocketAddr,
    /// How long the body of a request may take.
    pub(crate) body_limit: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        const ANY: usize = usize::MAX;
        Limits {
            connections: Permits::new(MOST_CONNECTIONS, ANY, ANY),
            visits: Permits::new(ANY, CONNECTIONS, ANY),
            tables: Permits::new(MOST_TABLES, TABLES, TABLES),
            bots: Permits::new(ANY, BOTS, BOTS),
            rates: Mutex::default(),
            begun: Instant::now(),
        }
    }
}

impl Limits {
    /// A connection.
    ///
    /// # Errors
    /// Which limit forbids it.
    pub(crate) fn connect(&self, from: IpAddr) -> Result<Permit, Limit> {
        let connection = self.connections.take(from, 1);
        Ok(Permit {
            _other: Some(connection.map_err(|_| Limit::Connections)?),
            ..self.pass_on(from)?
        })
    }

    /// A request of a visitor that a proxy passes on over a connection of its own.
    ///
    /// # Errors
    /// Which limit forbids it.
    pub(crate) fn pass_on(&self, from: IpAddr) -> Result<Permit, Limit> {
        let visit = self.visits.take(from, 1);
        Ok(Permit {
            _one: visit.map_err(|_| Limit::Connections)?,
            _other: None,
        })
    }

    /// Admits a table with so many bots at this cost.
    ///
    /// # Errors
    /// Which limit forbids it.
    pub(crate) fn make_table(
        &self,
        from: IpAddr,
        bots: usize,
        cost: usize,
    ) -> Result<Permit, Limit> {
        let table = self.tables.take(from, 1).map_err(|taken| match taken {
            NoPermit::All(_) => Limit::AllTables,
            NoPermit::Address(_) => Limit::Tables,
        })?;
        let bots = self.bots.take(from, bots).map_err(|_| Limit::Bots)?;
        let now = self.begun.elapsed();
        let mut rates = self.rates.lock().expect("nothing panics with the rates");
        if rates.len() >= MOST_ADDRESSES {
            rates.retain(|_, rate| !rate.is_full(now));
        }
        let rate = rates.entry(network_of(from)).or_insert(OF_TABLES);
        if !rate.spend(cost, now) {
            return Err(Limit::Rate(rate.wait(cost)));
        }
        Ok(Permit {
            _one: table,
            _other: Some(bots),
        })
    }
}

/// The places of costly work. An address whose work takes long waits for its own places, and the others go on.
pub(crate) struct WorkPermits {
    all: Arc<Semaphore>,
    /// Permits of one address, and of this machine, from which a proxy that does not tell its clients apart connects.
    each: usize,
    here: usize,
    by_address: Mutex<HashMap<IpAddr, Weak<Semaphore>>>,
}

/// A place, which is given back with this.
pub(crate) struct WorkPermit {
    _own: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl WorkPermits {
    pub(crate) fn of_answers() -> WorkPermits {
        WorkPermits::new(ANSWERS, MOST_ANSWERS)
    }

    pub(crate) fn of_reads() -> WorkPermits {
        WorkPermits::new(READS, MOST_READS)
    }

    pub(crate) fn of_searches() -> WorkPermits {
        WorkPermits::new(SEARCHES, MOST_SEARCHES)
    }

    pub(crate) fn of_imports() -> WorkPermits {
        WorkPermits::new(IMPORTS, MOST_IMPORTS)
    }

    fn new(each: usize, all: usize) -> WorkPermits {
        WorkPermits {
            all: Arc::new(Semaphore::new(all)),
            each,
            here: all / 2,
            by_address: Mutex::default(),
        }
    }

    /// Waits for one of the address's own places, and then for one of those that all addresses share.
    pub(crate) async fn take(&self, address: IpAddr) -> WorkPermit {
        let own = self.of(network_of(address)).acquire_owned().await;
        let all = self.all.clone().acquire_owned().await;
        WorkPermit {
            _own: own.expect("places are not closed"),
            _all: all.expect("places are not closed"),
        }
    }

    fn of(&self, line: IpAddr) -> Arc<Semaphore> {
        let mut by_address = self.by_address.lock().expect("nothing panics with the map");
        by_address.retain(|_, places| places.strong_count() > 0);
        if let Some(places) = by_address.get(&line).and_then(Weak::upgrade) {
            return places;
        }
        let own = if line.is_loopback() {
            self.here
        } else {
            self.each
        };
        let places = Arc::new(Semaphore::new(own));
        by_address.insert(line, Arc::downgrade(&places));
        places
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn an_address_that_reads_nothing_takes_no_place_of_others() {
        let places = WorkPermits::of_answers();
        let of = |n| IpAddr::V4(Ipv4Addr::new(192, 0, 2, n));
        let take = |n| places.take(of(n)).now_or_never();
        let mut held: Vec<WorkPermit> = (0..ANSWERS).map(|_| take(1).expect("a place")).collect();
        let mut waits = Box::pin(places.take(of(1)));
        assert!((&mut waits).now_or_never().is_none());
        assert!(take(2).is_some());
        held.pop();
        held.push(waits.now_or_never().expect("its turn"));
        drop(held);
        let all = (0..MOST_ANSWERS / ANSWERS).flat_map(|n| [n as u8; ANSWERS]);
        let held: Vec<WorkPermit> = all.map(|n| take(n).expect("a place")).collect();
        assert!(take(255).is_none());
        drop(held);
        assert!(take(255).is_some());
        assert_eq!(places.by_address.lock().expect("a map").len(), 1);
    }

    #[test]
    fn this_machine_leaves_half_of_the_places_to_others() {
        for near in [
            IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(Ipv6Addr::LOCALHOST),
        ] {
            for (places, most) in [
                (WorkPermits::of_answers(), MOST_ANSWERS),
                (WorkPermits::of_reads(), MOST_READS),
                (WorkPermits::of_searches(), MOST_SEARCHES),
                (WorkPermits::of_imports(), MOST_IMPORTS),
            ] {
                let take = |from| places.take(from).now_or_never();
                let held: Vec<Option<WorkPermit>> = (0..=most).map(|_| take(near)).collect();
                assert_eq!(held.iter().flatten().count(), most / 2, "{near}");
                let far = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
                assert!(take(far).is_some());
            }
        }
    }

    #[test]
    fn what_is_given_back_can_be_used_again() {
        let limits = Limits::default();
        let [near, far] = [Ipv4Addr::LOCALHOST, Ipv4Addr::new(192, 0, 2, 1)].map(IpAddr::V4);
        let mut held: Vec<Permit> = (0..CONNECTIONS)
            .map(|_| limits.connect(far).expect("room"))
            .collect();
        assert_eq!(limits.connect(far).err(), Some(Limit::Connections));
        assert!(limits.pass_on(far).is_err());
        held.pop();
        assert!(limits.connect(far).is_ok() && limits.pass_on(far).is_ok());
        let six = |last| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, last));
        let lines: Vec<_> = (0..=CONNECTIONS as u16)
            .map(|n| limits.connect(six(n)))
            .collect();
        assert!(lines[CONNECTIONS].is_err(), "a line of IPv6 is one address");
        drop(lines);
        held.extend((held.len()..MOST_CONNECTIONS).map(|_| limits.connect(near).expect("room")));
        assert!(limits.connect(near).is_err());
    }

    #[test]
    fn tables_are_limited_by_their_number_their_bots_and_their_rate() {
        let limits = Limits::default();
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let refused = |bots| limits.make_table(address, bots, NEW_TABLE).err();
        assert_eq!(refused(BOTS + 1), Some(Limit::Bots));
        let held: Vec<_> = (0..TABLES)
            .map(|_| limits.make_table(address, 1, NEW_TABLE))
            .collect();
        assert!(held.iter().all(Result::is_ok));
        assert_eq!(refused(1), Some(Limit::Tables));
        drop(held);
        let last = std::iter::repeat_with(|| refused(1)).find_map(|limit| limit);
        let Some(Limit::Rate(wait)) = last else {
            panic!("{last:?}");
        };
        assert!(wait <= Duration::from_secs(6));
        let said = Limit::Rate(Duration::from_millis(5001)).to_string();
        assert!(said.ends_with("try again in 6 s"), "{said}");
        // Moves that are taken back count too, each as a part of a table.
        let other = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
        let most = 10 * NEW_TABLE / TAKE_BACK;
        let begun = Instant::now();
        let back = (0..=most * 2).filter(|_| limits.make_table(other, 1, TAKE_BACK).is_ok());
        let back = back.count();
        let more = begun.elapsed().as_secs() as usize + 1;
        assert!((most..=most + more).contains(&back), "{back}");
    }
}
