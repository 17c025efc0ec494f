//! Permits of connections: how many there may be, in all and from one address.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::config::Limits;
use crate::config::limits::PER_ADDRESS;

/// The permits of all connections of a server.
#[derive(Clone, Debug)]
pub(crate) struct Permits(Arc<Mutex<Taken>>);

#[derive(Debug)]
struct Taken {
    most: usize,
    /// From one address; `None` is the default.
    most_of_one: Option<usize>,
    all: usize,
    of_one: HashMap<IpAddr, usize>,
}

/// Why there is no permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoPermit {
    #[error("there are {0} connections")]
    Full(usize),
    #[error("there are {0} connections from its address")]
    FullOfOne(usize),
}

/// The permit of a connection, free again when it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    permits: Permits,
    address: IpAddr,
}

impl Permits {
    pub(crate) fn new(limits: &Limits) -> Permits {
        Permits(Arc::new(Mutex::new(Taken {
            most: limits.connections.max(1),
            most_of_one: limits.per_address,
            all: 0,
            of_one: HashMap::new(),
        })))
    }

    /// Takes a permit for a client of this address.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn take(&self, from: IpAddr) -> Result<Permit, NoPermit> {
        let address = whose(from);
        let mut taken = self.taken();
        let most = match taken.most_of_one {
            None if address.is_loopback() => usize::MAX,
            most => most.unwrap_or(PER_ADDRESS),
        };
        if taken.all >= taken.most {
            return Err(NoPermit::Full(taken.most));
        }
        let of_one = taken.of_one.entry(address).or_default();
        if *of_one >= most {
            return Err(NoPermit::FullOfOne(most));
        }
        *of_one += 1;
        taken.all += 1;
        let permits = self.clone();
        Ok(Permit { permits, address })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        // Each change is whole before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut taken = self.permits.taken();
        taken.all -= 1;
        if let Some(of_one) = taken.of_one.get_mut(&self.address) {
            *of_one -= 1;
            if *of_one == 0 {
                taken.of_one.remove(&self.address);
            }
        }
    }
}

/// The address by which clients are counted: of IPv6 the network, in which a machine takes addresses as it likes.
pub(crate) fn whose(from: IpAddr) -> IpAddr {
    match from.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => IpAddr::V6(Ipv6Addr::from_bits(
            address.to_bits() & !u128::from(u64::MAX),
        )),
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permits(connections: usize, per_address: Option<usize>) -> Permits {
        Permits::new(&Limits {
            connections,
            per_address,
        })
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn permits_are_counted_in_all_and_by_address() {
        let permits = permits(3, Some(2));
        let take = |from: &str| permits.take(address(from));
        let first = take("127.0.0.1").unwrap();
        let _second = take("127.0.0.1").unwrap();
        assert_eq!(take("127.0.0.1").unwrap_err(), NoPermit::FullOfOne(2));
        let _third = take("10.0.0.1").unwrap();
        assert_eq!(take("10.0.0.2").unwrap_err(), NoPermit::Full(3));
        drop(first);
        let _fourth = take("::ffff:127.0.0.1").unwrap();
        assert_eq!(take("10.0.0.1").unwrap_err(), NoPermit::Full(3));
    }

    #[test]
    fn this_machine_has_no_limit_of_its_own_unless_it_is_set() {
        let permits = permits(1000, None);
        let take = |from: &str, count: usize| {
            let all = (0..count).map(|_| permits.take(address(from)));
            all.collect::<Result<Vec<Permit>, NoPermit>>()
        };
        let _here = take("127.0.0.1", PER_ADDRESS + 1).unwrap();
        let _also = take("::1", PER_ADDRESS + 1).unwrap();
        let _there = take("2001:db8::1", PER_ADDRESS).unwrap();
        // Another address of the same network.
        let more = take("2001:db8::2:1", 1).unwrap_err();
        assert_eq!(more, NoPermit::FullOfOne(PER_ADDRESS));
        let _other = take("2001:db8:0:1::1", 1).unwrap();
    }
}
