//! A stream to a server, plain or in TLS, that one thread reads and another writes.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use protocol::tls::ClientConnection;

/// Bytes read at once below TLS.
const READ_LEN: usize = 1 << 12;

/// A stream to a server.
#[derive(Debug)]
pub struct Stream {
    socket: TcpStream,
    /// `None` for plain text.
    session: Option<Arc<Mutex<ClientConnection>>>,
}

impl From<TcpStream> for Stream {
    fn from(socket: TcpStream) -> Stream {
        Stream {
            socket,
            session: None,
        }
    }
}

impl Stream {
    pub(crate) fn secure(socket: TcpStream, session: ClientConnection) -> Stream {
        Stream {
            socket,
            session: Some(Arc::new(Mutex::new(session))),
        }
    }

    pub(crate) fn try_clone(&self) -> io::Result<Stream> {
        Ok(Stream {
            socket: self.socket.try_clone()?,
            session: self.session.clone(),
        })
    }

    /// Limits how long a plain stream is read, and each part of what one in TLS reads.
    ///
    /// # Errors
    /// That of the system.
    pub fn set_read_timeout(&self, limit: Option<Duration>) -> io::Result<()> {
        self.socket.set_read_timeout(limit)
    }

    pub(crate) fn close(&self) {
        // It may be closed already.
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some(session) = &self.session else {
            return self.socket.read(into);
        };
        let mut space = [0; READ_LEN];
        loop {
            match lock(session).reader().read(into) {
                Err(e) if e.kind() == ErrorKind::WouldBlock => {}
                read => return read,
            }
            // The other thread may write meanwhile.
            let count = self.socket.read(&mut space)?;
            let mut session = lock(session);
            let mut bytes = &space[..count];
            loop {
                // No bytes are the end of the stream.
                session.read_tls(&mut bytes)?;
                let taken = session.process_new_packets();
                taken.map_err(|e| io::Error::new(ErrorKind::InvalidData, e))?;
                if bytes.is_empty() {
                    break;
                }
            }
            flush(&mut session, &self.socket)?;
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(session) = &self.session else {
            return self.socket.write(bytes);
        };
        let mut session = lock(session);
        let count = session.writer().write(bytes)?;
        flush(&mut session, &self.socket)?;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

fn lock(session: &Mutex<ClientConnection>) -> MutexGuard<'_, ClientConnection> {
    session.lock().expect("no thread panics in a session")
}

fn flush(session: &mut ClientConnection, mut socket: &TcpStream) -> io::Result<()> {
    while session.wants_write() {
        session.write_tls(&mut socket)?;
    }
    Ok(())
}
