//! What an organiser does to a league that is watched: its server is told, with the organiser's token.

use std::time::Duration;

use axum::http::StatusCode;
use protocol::native::{ErrorCode, OrganiserRequest};
use record::watch::{WatchEnd, WatchMessage};
use serde::Deserialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::{Failure, READ_SIZE, WatchStream, WatchedTables};

/// How long a server may take for a connection, and for its answer: it reads a whole journal, perhaps from a slow disk. Both
/// are less than the minute after which a proxy before this page gives up.
const CONNECTED: Duration = Duration::from_secs(10);
const ANSWER: Duration = Duration::from_secs(45);

/// What a page asks for. It is shown nowhere, as it has a token in it.
#[derive(Deserialize)]
pub(crate) struct CommandRequest {
    source: String,
    token: String,
    #[serde(flatten)]
    act: OrganiserRequest,
}

pub(crate) enum CommandRefusal {
    Wrong(String),
    /// The server, or this one in its place, has refused it.
    Refused(ErrorCode, String),
    /// There is no connection with the server.
    Silent(String),
    /// The server was told, and no answer has come: it may be done all the same.
    Unknown(String),
}

impl CommandRefusal {
    pub(crate) fn answer(self) -> (StatusCode, &'static str, String) {
        match self {
            CommandRefusal::Wrong(reason) => (StatusCode::BAD_REQUEST, "malformed", reason),
            CommandRefusal::Refused(code, reason) => {
                let status = match code {
                    ErrorCode::Token => StatusCode::FORBIDDEN,
                    ErrorCode::Rate => StatusCode::TOO_MANY_REQUESTS,
                    _ => StatusCode::CONFLICT,
                };
                (status, code.as_str(), reason)
            }
            CommandRefusal::Silent(reason) => (StatusCode::BAD_GATEWAY, "net", reason),
            CommandRefusal::Unknown(reason) => (StatusCode::GATEWAY_TIMEOUT, "unknown", reason),
        }
    }
}

impl WatchedTables {
    /// Has an act done; gives what is done, for people.
    ///
    /// # Errors
    /// Why not.
    pub(crate) async fn act(&self, request: &CommandRequest) -> Result<String, CommandRefusal> {
        let number = request.source.parse::<usize>().ok();
        let Some(source) = number.and_then(|number| self.sources.get(number)) else {
            return Err(CommandRefusal::Wrong("there is no such server".to_owned()));
        };
        let silent = |e: String| CommandRefusal::Silent(e);
        let stream = timeout(CONNECTED, self.connect(source)).await;
        let stream = stream.map_err(|_| silent("the server does not answer".to_owned()))?;
        let stream = stream.map_err(|e| silent(e.to_string()))?;
        match timeout(ANSWER, WatchedTables::tell(stream, request)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(e)) => Err(CommandRefusal::Unknown(e.to_string())),
            Err(_) => Err(CommandRefusal::Unknown("no answer has come".to_owned())),
        }
    }

    /// Tells a server an act, and gives its answer.
    async fn tell(
        mut stream: Box<dyn WatchStream>,
        request: &CommandRequest,
    ) -> Result<Result<String, CommandRefusal>, Failure> {
        let lines = WatchEnd::act(&request.token, &request.act);
        stream.write_all(lines.as_bytes()).await?;
        let mut end = WatchEnd::default();
        let mut space = vec![0; READ_SIZE];
        loop {
            while let Some(message) = end.next_message() {
                match message? {
                    WatchMessage::Acted { text } => return Ok(Ok(text)),
                    WatchMessage::Error { code, message, .. } => {
                        return Ok(Err(CommandRefusal::Refused(code, message)));
                    }
                    _ => {}
                }
            }
            match stream.read(&mut space).await? {
                0 => return Err("the server has closed the connection".into()),
                n => end.receive(&space[..n]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::net::TcpListener;
    use tokio_util::sync::CancellationToken;

    use super::*;

    #[tokio::test]
    async fn a_server_that_was_told_and_says_nothing_may_have_done_it() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let stop = CancellationToken::new();
        stop.cancel();
        let sources = vec![("127.0.0.1".to_owned(), port), ("127.0.0.1".to_owned(), 1)];
        let watched = WatchedTables::new(sources, None, true, &stop);
        let request = |source: &str| -> CommandRequest {
            let act =
                json!({ "source": source, "token": "sesame-7", "act": "pause", "reason": "" });
            serde_json::from_value(act).expect("an act")
        };
        let (one, other) = (request("0"), request("1"));
        let server = async {
            let (mut stream, _) = listener.accept().await.expect("a client");
            // It has read something, and is gone.
            let _ = stream.read(&mut [0; 1]).await;
        };
        let (told, ()) = tokio::join!(watched.act(&one), server);
        let code = |told: Result<String, CommandRefusal>| told.err().map(|why| why.answer().1);
        assert_eq!(code(told), Some("unknown"));
        assert_eq!(code(watched.act(&other).await), Some("net"));
    }
}
