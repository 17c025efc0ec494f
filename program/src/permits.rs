//! Permits: how much may be in use at the same time, in all and by one address.

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The permits of everything of a kind, such as the connections of a server.
#[derive(Clone, Debug)]
pub struct Permits(Arc<Mutex<Taken>>);

#[derive(Debug)]
struct Taken {
    most: usize,
    by_address: usize,
    by_this_machine: usize,
    all: usize,
    of_address: HashMap<IpAddr, usize>,
}

/// Why there is no permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPermit {
    /// So many are in use in all.
    All(usize),
    /// So many are in use by the address.
    Address(usize),
}

impl fmt::Display for NoPermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoPermit::All(most) => write!(f, "there are {most} connections"),
            NoPermit::Address(most) => {
                write!(f, "there are {most} connections from its address")
            }
        }
    }
}

/// A permit, which is given back when it is dropped.
#[derive(Debug)]
pub struct Permit {
    permits: Permits,
    address: IpAddr,
    count: usize,
}

impl Permits {
    /// Permits for at most `most` in all, and `by_address` by an address; this machine has a limit of its own.
    pub fn new(most: usize, by_address: usize, by_this_machine: usize) -> Permits {
        Permits(Arc::new(Mutex::new(Taken {
            most,
            by_address,
            by_this_machine,
            all: 0,
            of_address: HashMap::new(),
        })))
    }

    /// Takes a permit for so many of a client of this address.
    ///
    /// # Errors
    /// When there is none.
    pub fn take(&self, from: IpAddr, count: usize) -> Result<Permit, NoPermit> {
        let address = network_of(from);
        let mut taken = self.taken();
        let most = if address.is_loopback() {
            taken.by_this_machine
        } else {
            taken.by_address
        };
        let own = taken.of_address.get(&address).copied().unwrap_or_default();
        if own + count > most {
            return Err(NoPermit::Address(most));
        }
        if taken.all + count > taken.most {
            return Err(NoPermit::All(taken.most));
        }
        taken.of_address.insert(address, own + count);
        taken.all += count;
        Ok(Permit {
            permits: self.clone(),
            address,
            count,
        })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        // Each change is whole before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut taken = self.permits.taken();
        taken.all -= self.count;
        if let Some(own) = taken.of_address.get_mut(&self.address) {
            *own -= self.count;
            if *own == 0 {
                taken.of_address.remove(&self.address);
            }
        }
    }
}

/// The address by which clients are counted: of IPv6 the network, in which a machine takes addresses as it likes.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => IpAddr::V6(Ipv6Addr::from_bits(
            address.to_bits() & !u128::from(u64::MAX),
        )),
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn permits_are_counted_in_all_and_by_address() {
        let permits = Permits::new(3, 2, 2);
        let take = |from: &str| permits.take(address(from), 1);
        let first = take("127.0.0.1").unwrap();
        let _second = take("127.0.0.1").unwrap();
        assert_eq!(take("127.0.0.1").unwrap_err(), NoPermit::Address(2));
        let third = take("10.0.0.1").unwrap();
        assert_eq!(take("10.0.0.2").unwrap_err(), NoPermit::All(3));
        drop(first);
        let _fourth = take("::ffff:127.0.0.1").unwrap();
        assert_eq!(take("10.0.0.1").unwrap_err(), NoPermit::All(3));
        drop(third);
        assert_eq!(permits.taken().of_address.len(), 1);
        assert!(permits.take(address("10.0.0.3"), 2).is_err());
    }

    #[test]
    fn this_machine_has_its_own_limit_and_a_network_of_ipv6_is_one_address() {
        let permits = Permits::new(1000, 2, usize::MAX);
        let take = |from: &str, count| permits.take(address(from), count);
        let _here = take("127.0.0.1", 3).unwrap();
        let _also = take("::1", 3).unwrap();
        let _there = take("2001:db8::1", 2).unwrap();
        // Another address of the same network.
        let more = take("2001:db8::2:1", 1).unwrap_err();
        assert_eq!(more, NoPermit::Address(2));
        let _other = take("2001:db8:0:1::1", 1).unwrap();
    }
}
