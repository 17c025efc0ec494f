//! What an organiser does to a league that is watched: its server is told, with the organiser's token.

use std::time::Duration;

use axum::http::StatusCode;
use protocol::native::{Act, ErrorCode, WatchEnd, WatchMessage};
use serde::Deserialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::{Failure, Hall, READ_SIZE, Source};

/// How long a server may take for its answer.
const ANSWER: Duration = Duration::from_secs(10);

/// What a page asks for. It is shown nowhere, as it has a token in it.
#[derive(Deserialize)]
pub(crate) struct ActRequest {
    /// Number of the source.
    source: String,
    token: String,
    #[serde(flatten)]
    act: Act,
}

/// Why nothing was done.
pub(crate) enum NoAct {
    /// The request is none.
    Wrong(String),
    /// The server, or this one in its place, has refused it.
    Refused(ErrorCode, String),
    /// The server does not answer.
    Silent(String),
}

impl NoAct {
    /// Status, code and sentence of the answer.
    pub(crate) fn answer(self) -> (StatusCode, &'static str, String) {
        match self {
            NoAct::Wrong(reason) => (StatusCode::BAD_REQUEST, "malformed", reason),
            NoAct::Refused(code, reason) => {
                let status = match code {
                    ErrorCode::Token => StatusCode::FORBIDDEN,
                    ErrorCode::Rate => StatusCode::TOO_MANY_REQUESTS,
                    _ => StatusCode::CONFLICT,
                };
                (status, code.as_str(), reason)
            }
            NoAct::Silent(reason) => (StatusCode::BAD_GATEWAY, "net", reason),
        }
    }
}

impl Hall {
    /// Has an act done; gives what is done, for people.
    ///
    /// # Errors
    /// Why not.
    pub(crate) async fn act(&self, request: &ActRequest) -> Result<String, NoAct> {
        let number = request.source.parse::<usize>().ok();
        let Some(source) = number.and_then(|number| self.sources.get(number)) else {
            return Err(NoAct::Wrong("there is no such server".to_owned()));
        };
        match timeout(ANSWER, self.tell(source, request)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(e)) => Err(NoAct::Silent(e.to_string())),
            Err(_) => Err(NoAct::Silent("the server does not answer".to_owned())),
        }
    }

    /// Tells a server an act, and gives its answer.
    async fn tell(
        &self,
        source: &Source,
        request: &ActRequest,
    ) -> Result<Result<String, NoAct>, Failure> {
        let mut stream = self.connect(source).await?;
        let lines = WatchEnd::act(&request.token, &request.act);
        stream.write_all(lines.as_bytes()).await?;
        let mut end = WatchEnd::default();
        let mut space = vec![0; READ_SIZE];
        loop {
            while let Some(message) = end.next_message() {
                match message? {
                    WatchMessage::Acted { text } => return Ok(Ok(text)),
                    WatchMessage::Error { code, message, .. } => {
                        return Ok(Err(NoAct::Refused(code, message)));
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
