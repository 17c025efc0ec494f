//! The port of a program in the sandbox, which is in a network of its own: the listener comes out of it through a socket.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use tokio::io::Interest;
use tokio::net::{TcpListener, UnixStream};

#[cfg(target_os = "linux")]
const FLAGS: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(not(target_os = "linux"))]
const FLAGS: RecvFlags = RecvFlags::empty();

/// The port at which a program in the sandbox finds its table.
#[derive(Debug)]
pub struct InnerPort(UnixStream);

impl InnerPort {
    /// A port that is to be opened, and the standard input of the program that opens it.
    pub(super) fn new() -> io::Result<(InnerPort, Stdio)> {
        let (own, theirs) = UnixStream::pair()?;
        let theirs = theirs.into_std()?;
        theirs.set_nonblocking(false)?;
        Ok((InnerPort(own), OwnedFd::from(theirs).into()))
    }

    /// Its listener, once it is there. May be called once, and be given up before it is ready.
    pub(crate) async fn listener(&self) -> io::Result<TcpListener> {
        let received = self
            .0
            .async_io(Interest::READABLE, || self.receive())
            .await?;
        let listener = std::net::TcpListener::from(received);
        listener.set_nonblocking(true)?;
        TcpListener::from_std(listener)
    }

    fn receive(&self) -> io::Result<OwnedFd> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        let mut bytes = [IoSliceMut::new(&mut byte)];
        recvmsg(&self.0, &mut bytes, &mut control, FLAGS)?;
        let mut files = control.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut files) => files.next(),
            _ => None,
        });
        files
            .next()
            .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}
