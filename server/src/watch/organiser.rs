//! Organisers at the port of watchers: with their token they act on the league. `protocol/NATIVE.md` says how.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;

use protocol::native::{ClientMessage, ErrorCode, OrganiserRequest, ServerMessage, VERSION};
use record::watch::WatchMessage;
use tokio_util::sync::CancellationToken;

use crate::lobby::native::connection::NativeConnection;
use crate::lobby::native::greeting::is_same;
use crate::table::Connection as _;

/// Does an act; gives what is done, or why not, for people. It may wait for the disk.
type Action = dyn Fn(&OrganiserRequest) -> Result<String, String> + Send + Sync;

/// What an organiser may do at a port, and how it is known.
pub struct Organiser {
    token: String,
    action: Box<Action>,
}

/// Without the token.
impl fmt::Debug for Organiser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Organiser").finish_non_exhaustive()
    }
}

impl Organiser {
    /// One that is known by this token, and whose acts are done by this.
    pub fn new(
        token: String,
        action: impl Fn(&OrganiserRequest) -> Result<String, String> + Send + Sync + 'static,
    ) -> Organiser {
        let action = Box::new(action);
        Organiser { token, action }
    }

    pub(super) fn is_known_by(&self, token: &str) -> bool {
        is_same(&self.token, token)
    }

    /// Does what its connection says, one act after the other, until it leaves or the port is closed.
    pub(super) async fn serve(
        self: Arc<Self>,
        mut guest: NativeConnection,
        stop: CancellationToken,
    ) {
        let watching = WatchMessage::Watching {
            version: VERSION,
            server: concat!("taikyoku ", env!("CARGO_PKG_VERSION")).to_owned(),
            delay_ms: 0,
            wanted: Some(0),
            acts: true,
        };
        guest.tell_line(watching.to_line().as_bytes());
        loop {
            let next = tokio::select! {
                next = poll_fn(|cx| guest.poll_next(cx)) => next,
                () = stop.cancelled() => break,
            };
            let (code, reason) = match next {
                Err(_) | Ok(Ok(ClientMessage::Leave)) => break,
                Ok(Ok(ClientMessage::Act(act))) => {
                    let own = Arc::clone(&self);
                    // The others at this port do not wait for the disk.
                    let done = tokio::task::spawn_blocking(move || (own.action)(&act)).await;
                    match done.unwrap_or_else(|_| Err("the server failed".to_owned())) {
                        Ok(text) => {
                            let acted = WatchMessage::Acted { text };
                            guest.tell_line(acted.to_line().as_bytes());
                            continue;
                        }
                        Err(reason) => (ErrorCode::Act, reason),
                    }
                }
                Ok(Ok(_)) => {
                    let reason = "an organiser sends acts, and nothing else";
                    (ErrorCode::UnknownType, reason.to_owned())
                }
                Ok(Err(fault)) => (fault.code, fault.message),
            };
            guest.tell(&ServerMessage::error(code, reason));
            if code == ErrorCode::Rate {
                break;
            }
        }
        guest.close(false).await;
    }
}
