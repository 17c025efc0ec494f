//! The connection of a player that is missing: it takes its seat and is gone.

use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::{fmt, io};

use bytes::{Buf as _, Bytes, BytesMut};
use games::GameName;
use protocol::native::{ClientMessage, Hello, VERSION};
use protocol::uecda::{Profile, Version, encode_table};
use tokio::io::ReadBuf;

use super::login::Login;
use server::table::Pipe;

/// A player that greets and leaves. In GAT, whose clients need not say anything to have a seat, it says nothing.
pub(super) struct AbsentPlayer {
    says: Bytes,
    /// Whether it is still there when it has said all.
    stays: bool,
}

/// Without what it says: that has the entrant's token in it.
impl fmt::Debug for AbsentPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nobody").finish_non_exhaustive()
    }
}

impl AbsentPlayer {
    /// In the place of the entrant that is known in this way.
    pub(super) fn new(login: &Login) -> AbsentPlayer {
        let says = match login.game() {
            GameName::Geister => Bytes::new(),
            GameName::Daihinmin => {
                let profile = Profile::new(Version::V20070, "nobody").to_table();
                let mut bytes = BytesMut::new();
                encode_table(Version::V20070, &profile, &mut bytes);
                bytes.freeze()
            }
            _ => {
                let hello = Hello {
                    versions: vec![VERSION],
                    name: "nobody".to_owned(),
                    token: login.token().map(str::to_owned),
                    ..Hello::default()
                };
                ClientMessage::Hello(hello).to_line().into()
            }
        };
        AbsentPlayer {
            says,
            stays: login.game() == GameName::Geister,
        }
    }

    /// Gives what it says next, if it has anything to say.
    fn say(&self, into: &mut ReadBuf<'_>) -> Poll<usize> {
        let length = self.says.len().min(into.remaining());
        into.put_slice(&self.says[..length]);
        if self.says.is_empty() && self.stays {
            return Poll::Pending;
        }
        Poll::Ready(length)
    }
}

impl Pipe for AbsentPlayer {
    fn peer(&self) -> SocketAddr {
        SocketAddr::from(([0, 0, 0, 0], 0))
    }

    fn poll_read(&mut self, _: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.say(into).map(|length| {
            self.says.advance(length);
            Ok(())
        })
    }

    fn poll_peek(&self, _: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<usize>> {
        self.say(into).map(Ok)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn poll_write_ready(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stays = false;
        Poll::Ready(Ok(()))
    }
}
