//! `taikyoku watch`: what happens at the tables of a server, on a terminal or as lines of JSON.

mod text;

use std::fmt::Display;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use clap::Args;
use program::{Failure, PrintableWriter};
use protocol::tls::{ClientConnection, Trust};
use record::watch::{WatchEnd, WatchMessage};

use crate::config::TlsTrust;
use text::WatchText;

/// Watch the tables of a server
///
/// The server runs with --watch. What is hidden in a game is shown when the game is over.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  taikyoku serve blokus --watch 4445 &
  taikyoku watch 127.0.0.1:4445               all tables, each position drawn
  taikyoku watch 127.0.0.1:4445 --match 3     one match, to its end
  taikyoku watch game.example.org:4445 --tls  a server that runs with --tls-cert
  taikyoku watch 127.0.0.1:4445 --json | jq   the messages of the server (protocol/NATIVE.md, Watching)
Exit status: 0 the match that is watched is over, or the server has ended; 2 the command line; 3 the server
cannot be watched; 4 the connection was lost in a match.")]
pub struct WatchArgs {
    /// The server's port for watchers
    #[arg(value_name = "HOST:PORT", value_parser = address)]
    pub server: String,
    /// Watch this match only, to its end; wait for it if it has not begun [default: all matches]
    #[arg(long = "match", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub wanted: Option<u64>,
    /// Print each message of the server as a line of JSON (schema: docs/schema/watch.json)
    #[arg(long)]
    pub json: bool,
    /// Whether TLS is spoken, and which certificates to trust
    #[command(flatten)]
    pub tls: TlsTrust,
}

fn address(text: &str) -> Result<String, String> {
    let port = text
        .rsplit_once(':')
        .filter(|(host, _)| !host.is_empty())
        .and_then(|(_, port)| port.parse::<u16>().ok());
    match port {
        Some(_) => Ok(text.to_owned()),
        None => Err("HOST:PORT is wanted, with the port of --watch of the server".to_owned()),
    }
}

fn no_server(reason: impl Display) -> Failure {
    let text = format!("this is no server's port for watchers: {reason}");
    Failure::new(program::NO_CONNECTION, text)
}

/// How long each step of the handshake of TLS may take.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Bytes taken from the server at once.
const READ_SIZE: usize = 16 * 1024;

pub fn run(args: &WatchArgs) -> Result<(), Failure> {
    let mut stream = connect(args)?;
    stream.write_all(WatchEnd::hello(args.wanted).as_bytes())?;
    match watch(args, &mut stream, &mut PrintableWriter(io::stdout().lock())) {
        // `taikyoku watch S | head` is no failure.
        Err(e) if e.is_unread() => Ok(()),
        other => other,
    }
}

trait ReadWrite: Read + Write {}

impl<S: Read + Write> ReadWrite for S {}

/// Connects, and shakes hands where TLS is spoken.
fn connect(args: &WatchArgs) -> Result<Box<dyn ReadWrite>, Failure> {
    let trust = args.tls.trust()?;
    let server = &args.server;
    let connected = TcpStream::connect(server);
    let mut stream = connected.map_err(|e| {
        let text =
            format!("cannot connect to {server}: {e} (the port is that of --watch of the server)");
        Failure::new(program::NO_CONNECTION, text)
    })?;
    let Some(trust) = trust else {
        return Ok(Box::new(stream));
    };
    let host = server
        .rsplit_once(':')
        .map_or(&server[..], |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    stream.set_read_timeout(Some(HANDSHAKE))?;
    let session = trust.shake(&mut stream, host);
    let session = session.map_err(|e| {
        let text = format!("no TLS with {server}: {}", Trust::reason(&e));
        Failure::new(program::NO_CONNECTION, text)
    })?;
    stream.set_read_timeout(None)?;
    Ok(secured(session, stream))
}

#[cfg(feature = "tls")]
fn secured(session: ClientConnection, stream: TcpStream) -> Box<dyn ReadWrite> {
    Box::new(tokio_rustls::rustls::StreamOwned::new(session, stream))
}

#[cfg(not(feature = "tls"))]
#[expect(clippy::needless_pass_by_value, reason = "there is none to pass")]
fn secured(session: ClientConnection, _: TcpStream) -> Box<dyn ReadWrite> {
    match session {}
}

fn watch(
    args: &WatchArgs,
    server: &mut impl io::Read,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let (mut end, mut text) = (WatchEnd::default(), WatchText::default());
    let mut space = [0; READ_SIZE];
    let mut is_greeted = false;
    loop {
        while let Some(message) = end.next_message() {
            let message = message.map_err(no_server)?;
            is_greeted = true;
            if let WatchMessage::Error { message, .. } = &message {
                let text = format!("the server says: {message}");
                return Err(Failure::new(program::NO_CONNECTION, text));
            }
            let told = text.take(&message);
            if args.json {
                write!(out, "{}", message.to_line())?;
            } else {
                write!(out, "{told}")?;
            }
            out.flush()?;
            if matches!(message, WatchMessage::Over { number, .. } if Some(number) == args.wanted) {
                return Ok(());
            }
        }
        let read = match server.read(&mut space) {
            // A connection in TLS has ended without a farewell.
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
            read => read,
        };
        match read {
            Ok(0) if !is_greeted => {
                return Err(no_server("it has closed the connection without a word"));
            }
            Ok(0) if args.wanted.is_none() && !text.is_open() => return Ok(()),
            Ok(0) => {
                let text = "the connection ended in the middle of a match";
                return Err(Failure::new(program::CUT_SHORT, text));
            }
            Ok(n) => end.receive(&space[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use games::{Daihinmin, Game as _};

    use super::*;

    const GEISTER: &str = r#"{"type":"watching","version":1,"server":"taikyoku 0.1.0","delay_ms":0}
{"type":"tables","playing":[]}
{"type":"table","match":1,"game":"geister","protocol":"gat","id":"m","players":["ana","bo"],"games":1,"scores":[0.0,0.0],"state":"playing"}
{"type":"match","match":1,"header":{"taikyoku-record":1,"game":"geister","match":"m","tongue":"gat","players":[{"name":"ana"},{"name":"b\u001bo"}],"games":1,"rules":{},"clocks":{},"started":"","server":""}}
{"type":"new","match":1}
{"type":"frame","match":1,"game":1,"ply":0,"seat":null,"move":null,"used_ms":null,"to_move":0,"views":[{"to-move":0,"ply":0,"ghosts":[[],[]]}],"clocks":null,"players":[1,0]}
{"type":"frame","match":1,"game":1,"ply":1,"seat":0,"move":"placed","used_ms":null,"to_move":1,"views":[{"to-move":1,"ply":1,"ghosts":[[],[]]}],"clocks":null,"players":[1,0]}
{"type":"frame","match":1,"game":1,"ply":2,"seat":1,"move":"placed","used_ms":null,"to_move":0,"views":[{"to-move":0,"ply":2,"ghosts":[["14u","24u","34u","44u","15u","25u","35u","45u"],["14u","24u","99R","44u","15u","25u","35u","45u"]]}],"clocks":null,"players":[1,0]}
{"type":"result","match":1,"game":1,"places":[2,1],"scores":[0.0,1.0],"end":"resign","by":0,"reason":"it resigns","views":[{"own":["14R","24B","99R"]},{"own":["14B","24R"]}]}
{"type":"over","match":1,"games":1,"scores":[1.0,0.0]}
"#;

    fn told(args: &WatchArgs, text: &str) -> (String, Result<(), Failure>) {
        let mut out = Vec::new();
        let ended = watch(args, &mut text.as_bytes(), &mut out);
        (String::from_utf8(out).unwrap(), ended)
    }

    fn args(json: bool) -> WatchArgs {
        WatchArgs {
            server: String::new(),
            wanted: None,
            json,
            tls: TlsTrust::default(),
        }
    }

    #[test]
    fn a_game_is_drawn_as_everybody_sees_it() {
        let (text, ended) = told(&args(false), GEISTER);
        assert!(ended.is_ok());
        let due = "\
match 1: geister, ana against bo, 1 game
match 1, game 1 of 1, ply 0: begins
> 1 bo
  0 ana
    (not set up)
match 1, game 1 of 1, ply 1: 1 bo has set up
  1 bo
> 0 ana
    (not set up)
match 1, game 1 of 1, ply 2: 0 ana has set up
> 1 bo
  0 ana
    .  h? g? f? e? .
    .  d? .  b? a? .
    .  .  .  .  .  .
    .  .  .  .  .  .
    .  A? B? C? D? .
    .  E? F? G? H? .
    captured: c*
match 1, game 1: over by resign of 1 bo (it resigns): 1 bo 0, 0 ana 1
    1 bo had red AC
    0 ana had red b
match 1: over, ana 1, bo 0
";
        assert_eq!(text, due);
    }

    #[test]
    fn a_player_has_its_cards_beside_its_name() {
        let game = Daihinmin::begin(&<_>::default(), 3);
        let view = serde_json::to_value(game.public_view()).unwrap();
        let begun = format!(
            r#"{{"type":"match","match":1,"header":{{"taikyoku-record":1,"game":"daihinmin","match":"m","tongue":"uecda","players":[{{"name":"a"}},{{"name":"b"}},{{"name":"c"}},{{"name":"d"}},{{"name":"e"}}],"games":1,"rules":{{}},"started":"","server":""}}}}
{{"type":"frame","match":1,"game":1,"ply":0,"seat":null,"move":null,"used_ms":null,"to_move":0,"views":[{view}],"clocks":null,"players":[4,3,2,1,0]}}
"#
        );
        let (text, _) = told(&args(false), &begun);
        let due = "\n> 4 e: 10 cards\n  3 d: 10 cards\n";
        assert!(text.contains(due), "{text}");
        assert!(text.contains("\n    field: empty\n"), "{text}");
    }

    #[test]
    fn messages_are_passed_on_but_those_of_another_version() {
        let (text, ended) = told(&args(true), GEISTER);
        assert!(ended.is_ok());
        let values = |text: &str| -> Vec<serde_json::Value> {
            let lines = text.lines().map(serde_json::from_str);
            lines.collect::<Result<_, _>>().unwrap()
        };
        let due = GEISTER.replace("{\"type\":\"new\",\"match\":1}\n", "");
        assert_eq!(values(&text), values(&due));
    }

    #[test]
    fn a_league_is_told_in_a_line() {
        let line = r#"{"type":"league","title":"Spring\u001b","game":"blokus","fixtures":12,"scheduled":40,"entrants":[{"name":"bo","games":6,"faults":0,"rating":34.5,"half_width":12.0},{"name":"ana","games":6,"faults":1,"rating":0.0,"half_width":0.0},{"name":"cy","games":1,"faults":0,"rating":-7.0,"half_width":896.0},{"name":"di","games":0,"faults":0,"rating":null,"half_width":null}],"cross":[[null,0.6],[0.4,null]],"next":[["ana","cy"]]}"#;
        let (text, ended) = told(&args(false), &format!("{line}\n"));
        assert!(ended.is_ok());
        assert_eq!(
            text,
            "league Spring\\u001b: 12 of 40 fixtures, bo +34 ±12, ana 0, cy −7 over ±400\n"
        );
        let (text, _) = told(&args(true), &format!("{line}\n"));
        assert_eq!(text.trim_end(), line);
    }

    #[test]
    fn the_end_says_whether_all_was_seen() {
        let half = GEISTER.find("{\"type\":\"over\"").unwrap();
        let (_, ended) = told(&args(false), &GEISTER[..half]);
        assert!(ended.is_err_and(|e| e.code() == program::CUT_SHORT));
        let first = WatchArgs {
            wanted: Some(1),
            ..args(false)
        };
        let (_, ended) = told(&first, GEISTER);
        assert!(ended.is_ok());
        let (_, ended) = told(
            &args(false),
            "{\"type\":\"error\",\"code\":\"hello\",\"message\":\"no\"}\n",
        );
        assert_eq!(ended.unwrap_err().to_string(), "the server says: no");
        let (_, ended) = told(&args(false), "220 mail\r\n");
        assert!(ended.is_err_and(|e| e.code() == program::NO_CONNECTION));
        let (_, ended) = told(&args(false), "");
        assert!(ended.unwrap_err().to_string().ends_with("without a word"));
    }
}
