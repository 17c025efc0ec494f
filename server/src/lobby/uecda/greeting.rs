//! The first message of a `UECda` client, as a state machine without sockets and clocks.

use std::time::Duration;

use protocol::uecda::{CardTable, FrameReader, Profile, RequestedVersion, Version};

/// How long the first byte of a profile is waited for. A client that sends none by then is one of
/// version 20060, as the official server has it.
pub(crate) const PROFILE_WAIT: Duration = Duration::from_micros(2_000_500);

/// How long the whole of a profile that has begun is waited for.
pub(crate) const PROFILE_LIMIT: Duration = Duration::from_secs(10);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GreetingEnd {
    Player {
        /// The version of the protocol that it speaks.
        version: Version,
        /// Its profile; none from clients of version 20060.
        profile: Option<Box<CardTable>>,
    },
    /// No player: the connection is to be closed, for this reason.
    Refused(String),
}

/// The greeting of a client that has not sent its profile yet.
#[derive(Debug)]
pub struct Greeting {
    began: Duration,
    /// Whether a client that says nothing is refused, and no player of version 20060.
    must_speak: bool,
    /// Whether it has all the time that the caller gives it.
    is_patient: bool,
    inbox: FrameReader,
}

impl Greeting {
    pub fn new(now: Duration) -> Greeting {
        Greeting {
            began: now,
            must_speak: false,
            is_patient: false,
            inbox: FrameReader::default(),
        }
    }

    /// The same of a client that must send a profile.
    #[must_use]
    pub fn with_profile(self) -> Greeting {
        Greeting {
            must_speak: true,
            ..self
        }
    }

    /// A client that must send a profile, however late: how long it is waited for is up to the caller.
    pub fn patient() -> Greeting {
        Greeting {
            is_patient: true,
            ..Greeting::new(Duration::ZERO)
        }
    }

    /// Bytes that the profile still lacks: no more may be taken from the client, since what
    /// follows may be of another length.
    pub fn wanted(&self) -> usize {
        Version::V20070
            .table_len()
            .saturating_sub(self.inbox.waiting())
    }

    /// Takes bytes, at most [`Greeting::wanted`].
    pub fn receive(&mut self, bytes: &[u8]) -> Option<GreetingEnd> {
        if let Err(e) = self.inbox.push(bytes) {
            return Some(GreetingEnd::Refused(e.to_string()));
        }
        match self.inbox.take_table(Version::V20070) {
            Ok(None) => None,
            Err(e) => Some(GreetingEnd::Refused(e.to_string())),
            Ok(Some(table)) => Some(match Profile::parse(&table).version {
                RequestedVersion::Known(version) => GreetingEnd::Player {
                    version,
                    profile: Some(Box::new(table)),
                },
                RequestedVersion::Unsupported(number) => GreetingEnd::Refused(format!(
                    "it asks for protocol version {number}; 20070, 20060 and 20140 are spoken here"
                )),
            }),
        }
    }

    /// The result of the greeting after the client has closed its side.
    pub fn closed(&self) -> GreetingEnd {
        GreetingEnd::Refused(match self.inbox.waiting() {
            0 => "it left without a profile".to_owned(),
            n => format!("it left after {n} bytes of its profile"),
        })
    }

    /// When [`Greeting::wake`] is due, if ever.
    pub fn next_deadline(&self) -> Option<Duration> {
        let wait = match self.inbox.waiting() {
            _ if self.is_patient => return None,
            0 if !self.must_speak => PROFILE_WAIT,
            _ => PROFILE_LIMIT,
        };
        Some(self.began + wait)
    }

    /// Does what is due at `now`.
    pub fn wake(&self, now: Duration) -> Option<GreetingEnd> {
        if self.next_deadline().is_none_or(|at| now < at) {
            return None;
        }
        Some(match self.inbox.waiting() {
            0 if !self.must_speak => GreetingEnd::Player {
                version: Version::V20060,
                profile: None,
            },
            n => GreetingEnd::Refused(format!(
                "it sent {n} bytes of its profile and no more for {} s",
                PROFILE_LIMIT.as_secs()
            )),
        })
    }
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;
    use protocol::uecda::encode_table;

    use super::*;

    fn profile(number: i32) -> BytesMut {
        let mut table = Profile::new(Version::V20070, "x").to_table();
        table.set(0, 0, number);
        let mut bytes = BytesMut::new();
        encode_table(Version::V20070, &table, &mut bytes);
        bytes
    }

    #[test]
    fn a_profile_may_come_byte_by_byte() {
        for (number, version) in [(20070, Version::V20070), (20140, Version::V20140)] {
            let mut greeting = Greeting::new(Duration::from_secs(1));
            let bytes = profile(number);
            for (i, byte) in bytes.iter().enumerate() {
                assert_eq!(greeting.wanted(), 480 - i);
                let greeted = greeting.receive(&[*byte]);
                assert_eq!(greeted.is_some(), i == 479);
                if let Some(GreetingEnd::Player { version: v, .. }) = greeted {
                    assert_eq!(v, version);
                }
            }
        }
    }

    #[test]
    fn silence_is_version_20060_and_a_half_profile_is_refused() {
        let start = Duration::from_secs(5);
        let mut greeting = Greeting::new(start);
        assert_eq!(greeting.next_deadline(), Some(start + PROFILE_WAIT));
        assert_eq!(greeting.wake(start + Duration::from_secs(2)), None);
        let silent = greeting.wake(start + PROFILE_WAIT);
        let version = Version::V20060;
        let profile = None;
        assert_eq!(silent, Some(GreetingEnd::Player { version, profile }));
        assert_eq!(greeting.receive(&[0; 10]), None);
        assert_eq!(greeting.wake(start + PROFILE_WAIT), None);
        let refused = greeting.wake(start + PROFILE_LIMIT);
        assert!(
            matches!(refused, Some(GreetingEnd::Refused(_))),
            "{refused:?}"
        );
        assert!(matches!(greeting.closed(), GreetingEnd::Refused(r) if r.contains("10 bytes")));
    }

    #[test]
    fn silence_is_refused_where_a_profile_must_be_sent() {
        let greeting = Greeting::new(Duration::ZERO).with_profile();
        assert_eq!(greeting.next_deadline(), Some(PROFILE_LIMIT));
        assert_eq!(greeting.wake(PROFILE_WAIT), None);
        let refused = greeting.wake(PROFILE_LIMIT);
        assert!(
            matches!(refused, Some(GreetingEnd::Refused(_))),
            "{refused:?}"
        );
    }

    #[test]
    fn who_must_send_a_profile_may_take_its_time() {
        let mut greeting = Greeting::patient();
        let late = Duration::from_hours(1);
        assert_eq!(
            (greeting.next_deadline(), greeting.wake(late)),
            (None, None)
        );
        let bytes = profile(20070);
        assert_eq!(greeting.receive(&bytes[..10]), None);
        assert_eq!(greeting.wake(late), None);
        let greeted = greeting.receive(&bytes[10..]);
        assert!(matches!(
            greeted,
            Some(GreetingEnd::Player {
                version: Version::V20070,
                ..
            })
        ));
    }

    #[test]
    fn other_versions_are_refused() {
        let greeted = Greeting::new(Duration::ZERO).receive(&profile(20071));
        assert!(matches!(greeted, Some(GreetingEnd::Refused(r)) if r.contains("20071")));
    }
}
