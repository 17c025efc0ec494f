//! The gateway of the page, and a page without a browser.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode};
use tokio_tungstenite::tungstenite::{Error, Message, WebSocket, client};

use crate::patience::PATIENCE;
use crate::programs;

/// A running gateway; it ends with this.
pub struct Gateway {
    pub child: Child,
    pub address: SocketAddr,
    pub links: Vec<String>,
    folder: TempDir,
}

impl Gateway {
    pub fn start(options: &[&str]) -> Gateway {
        Gateway::run("web", &["--listen", "127.0.0.1:0"], options)
    }

    /// Starts `taikyoku web` or `taikyoku play` with arguments and options.
    pub fn run(command: &str, arguments: &[&str], options: &[&str]) -> Gateway {
        let mut line = Command::new(programs::taikyoku());
        line.arg(command).args(arguments).args(options);
        Gateway::begin(line)
    }

    /// Starts one by a command line.
    pub fn begin(command: Command) -> Gateway {
        Gateway::with_records(command, tempfile::tempdir().expect("a folder"))
    }

    /// Starts one with this folder of records.
    pub fn over(folder: TempDir) -> Gateway {
        let mut line = Command::new(programs::taikyoku());
        line.args(["web", "--listen", "127.0.0.1:0"]);
        Gateway::with_records(line, folder)
    }

    fn with_records(mut command: Command, folder: TempDir) -> Gateway {
        for build in [
            programs::score_four,
            programs::blokus,
            programs::dobutsu,
            programs::daihinmin,
            programs::geister,
            programs::taikyoku_web,
        ] {
            build();
        }
        let mut child = command
            .args(["--json", "--records"])
            .arg(folder.path())
            // A table of solved Dobutsu shogi is not there, whatever the user has.
            .env("XDG_DATA_HOME", folder.path().join("data"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the gateway starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe"))
            .read_line(&mut line)
            .expect("a line");
        let line: Value = serde_json::from_str(&line).expect("JSON");
        let page = line["page"].as_str().expect("an address");
        let links = line["links"].as_array().expect("links").iter();
        let links = links.map(|link| link.as_str().expect("a link").to_owned());
        Gateway {
            address: page["http://".len()..].parse().expect("an address"),
            links: links.collect(),
            child,
            folder,
        }
    }

    /// Ends it by a signal, and starts it again with the same records.
    pub fn start_again(&mut self, signal: &str) {
        let mut kill = Command::new("kill");
        let pid = self.child.id().to_string();
        let status = kill.args(["-s", signal, &pid]).status();
        assert!(status.expect("kill runs").success());
        self.child.wait().expect("it ends");
        let folder = tempfile::tempdir().expect("a folder");
        let folder = std::mem::replace(&mut self.folder, folder);
        *self = Gateway::over(folder);
    }

    pub fn records(&self) -> &Path {
        self.folder.path()
    }

    pub fn record(&self, id: &str) -> PathBuf {
        self.records().join(format!("{id}.jsonl"))
    }

    /// Asks by HTTP; gives the status, the head and the body.
    pub fn ask(&self, request: &str, headers: &str, body: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        let host = if headers.contains("Host:") {
            String::new()
        } else {
            format!("Host: {}\r\n", self.address)
        };
        let length = body.len();
        // No answer to this version comes in chunks.
        write!(
            stream,
            "{request} HTTP/1.0\r\n{host}{headers}Content-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .expect("a request");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head[9..12].parse().expect("a status");
        (status, head.to_owned(), body.to_owned())
    }

    pub fn get(&self, path: &str) -> Value {
        let (status, _, body) = self.ask(&format!("GET {path}"), "", "");
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap_or_else(|e| panic!("{e}: {body}"))
    }

    /// Makes a table; gives it and its tokens.
    pub fn make(&self, settings: &Value) -> (String, Vec<String>) {
        let (status, _, body) = self.ask("POST /api/tables", "", &settings.to_string());
        assert_eq!(status, 201, "{body}");
        let made: Value = serde_json::from_str(&body).expect("JSON");
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let tokens = made["tokens"].as_array().expect("tokens").iter();
        let tokens = tokens.map(|seat| text(&seat["token"])).collect();
        (text(&made["table"]), tokens)
    }

    /// A page at the WebSocket, with this origin.
    pub fn page_from(&self, origin: &str) -> Result<Page, StatusCode> {
        self.page_at("/ws", origin)
    }

    /// A page at a WebSocket, with this origin.
    pub fn page_at(&self, path: &str, origin: &str) -> Result<Page, StatusCode> {
        let address = format!("ws://{}{path}", self.address);
        let mut request = address.into_client_request().expect("an address");
        let origin = HeaderValue::from_str(origin).expect("an origin");
        request.headers_mut().insert("Origin", origin);
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        match client(request, stream) {
            Ok((socket, _)) => Ok(Page {
                socket,
                heard: Vec::new(),
            }),
            Err(error) => match error {
                tokio_tungstenite::tungstenite::HandshakeError::Failure(Error::Http(answer)) => {
                    Err(answer.status())
                }
                error => panic!("{error}"),
            },
        }
    }

    pub fn page(&self) -> Page {
        let page = self.page_from(&format!("http://{}", self.address));
        page.expect("an own page")
    }

    pub fn sit(&self, table: &str, token: &str) -> Page {
        let mut page = self.page();
        page.say(&json!({ "type": "sit", "table": table, "token": token }));
        page
    }

    /// A page at the seat of a link.
    pub fn follow(&self, link: &str) -> Page {
        let (_, seat) = link.split_once("/t/").expect("a link");
        let (table, token) = seat.split_once('#').expect("a token");
        self.sit(table, token)
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        if let Ok(Some(_)) = self.child.try_wait() {
            return;
        }
        // A signal lets it end its programs.
        let _ = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        let _ = self.child.wait();
    }
}

pub struct Page {
    pub socket: WebSocket<TcpStream>,
    pub heard: Vec<String>,
}

impl Page {
    pub fn say(&mut self, message: &Value) {
        let text = message.to_string().into();
        self.socket.send(Message::Text(text)).expect("it is sent");
    }

    /// What comes next; `None` at the end.
    pub fn hear(&mut self) -> Option<Value> {
        let due = Instant::now() + PATIENCE;
        loop {
            match self.socket.read() {
                // The answer to the ping of the WebSocket is enough.
                Ok(Message::Text(text)) if text.as_str() == r#"{"type":"ping"}"# => {
                    let last = self.heard.last();
                    assert!(Instant::now() < due, "nothing comes after {last:?}");
                }
                Ok(Message::Text(text)) => {
                    self.heard.push(text.to_string());
                    return Some(serde_json::from_str(&text).expect("JSON"));
                }
                Ok(Message::Close(_)) => return None,
                Ok(_) => {}
                Err(Error::Io(e)) if e.kind() == std::io::ErrorKind::WouldBlock => {
                    panic!("nothing comes after {:?}", self.heard.last())
                }
                Err(_) => return None,
            }
        }
    }

    /// What comes next of a type.
    pub fn hear_of(&mut self, kind: &str) -> Value {
        while let Some(message) = self.hear() {
            if message["type"] == kind {
                return message;
            }
        }
        panic!("no {kind} came, the last was {:?}", self.heard.last())
    }

    /// Plays until the match is over, each move the one that `choose` picks of those asked for; gives the last message
    /// and the numbers of frames, questions and results.
    pub fn play(&mut self, mut choose: impl FnMut(&[&str]) -> usize) -> (Value, [usize; 3]) {
        let mut counts = [0; 3];
        while let Some(message) = self.hear() {
            match message["type"].as_str().expect("a type") {
                "frame" => counts[0] += 1,
                "ask" => {
                    counts[1] += 1;
                    self.answer(&message, &mut choose);
                }
                "result" => counts[2] += 1,
                "over" => return (message, counts),
                "error" => panic!("{message}"),
                _ => {}
            }
        }
        panic!("the match has no end after {:?}", self.heard.last())
    }

    pub fn answer(&mut self, ask: &Value, mut choose: impl FnMut(&[&str]) -> usize) {
        let moves = ask["moves"].as_array().expect("moves").iter();
        let moves: Vec<&str> = moves.map(|mv| mv.as_str().expect("a move")).collect();
        let mv = moves[choose(&moves) % moves.len()];
        let (game, ply) = (&ask["game"], &ask["ply"]);
        self.say(&json!({ "type": "move", "game": game, "ply": ply, "move": mv }));
    }
}
