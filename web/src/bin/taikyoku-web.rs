//! The gateway between browsers and tables.

use std::env;
use std::error::Error;
use std::fmt::{self, Display};
use std::io::{IsTerminal as _, Write as _, stdin, stdout};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bots::Level;
use clap::{Args, Parser, Subcommand, ValueEnum};
use client::TlsOptions;
use games::GameName;
use protocol::tls::Trust;
use serde_json::json;
use taikyoku_web::{Gateway, Link, Listener, Options, Server, USUAL_LEVEL};
use tokio::signal::unix::{SignalKind, signal};

/// A page for browsers: play, watch and replay.
#[derive(Parser)]
#[command(
    name = "taikyoku-web",
    version = program::version!(),
    bin_name = "taikyoku",
    after_help = "Exit status: 0 it was ended, or the match in the terminal is over; 1 something failed; 2 the command line."
)]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Serve the page.
    Web(WebOptions),
    /// Play a game against bots of the project: in the browser, or in the terminal where there is none.
    #[command(arg_required_else_help = true)]
    Play(PlayOptions),
}

/// Where the page is, and what it has.
#[derive(Args)]
struct Page {
    /// Folder of records: those of tables made here are written there, and all can be replayed. It may be that of a league
    /// or a ladder, or have such folders in it (schema: docs/schema/ladder-entrant.json) [default: one that lasts as long
    /// as the program].
    #[arg(long, alias = "record", value_name = "DIR")]
    records: Option<PathBuf>,
    /// A name under which others come to the page, such as that of a proxy before it. The addresses and the own names of
    /// this machine need none.
    #[arg(long, value_name = "NAME")]
    host_name: Vec<String>,
    /// Print the links as a line of JSON (schema: docs/schema/page.json).
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct WebOptions {
    /// Address and port of the page; any but a loopback address opens it to others. Port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "ADDR:PORT", value_parser = listening)]
    listen: SocketAddr,
    /// A seat for a person at a server elsewhere: uecda://HOST:PORT, gat://HOST:PORT or native://HOST:PORT[/GAME]. The
    /// person's link is printed, and the seat is taken when the page comes.
    #[arg(long, value_name = "SERVER")]
    join: Vec<Server>,
    /// A port of watchers, of taikyoku serve --watch or taikyoku league --watch, whose tables are shown.
    #[arg(long, value_name = "HOST:PORT", value_parser = place)]
    watch: Vec<(String, u16)>,
    /// TLS with the servers of --watch and of --join native://...
    #[command(flatten)]
    tls: TlsOptions,
    /// Let viewers that were made for the official server of Geister connect to ws://ADDR:PORT/ws/geister, from pages of
    /// any host: they show the first watched match in play.
    #[arg(long, value_name = "FRAMES", requires = "watch")]
    geister_viewer: Option<ViewerKind>,
    /// A proxy on this machine passes visitors on, and names the address of each in X-Forwarded-For: the limits of an
    /// address are for the last one there. Without it, all visitors behind a proxy share those of this machine.
    #[arg(long)]
    behind_proxy: bool,
    /// Let organisers act on watched leagues from the page, with the token of taikyoku league --organiser.
    #[arg(long, requires = "watch")]
    acts: bool,
    #[command(flatten)]
    page: Page,
}

impl WebOptions {
    /// Whom to trust at servers elsewhere.
    ///
    /// # Errors
    /// When there is no certificate to trust, no server elsewhere, or a server's protocol knows no TLS.
    fn trust(&self) -> Result<Option<Trust>, String> {
        if (self.tls.tls || self.tls.tls_ca.is_some())
            && self.watch.is_empty()
            && self.join.is_empty()
        {
            let option = if self.tls.tls { "--tls" } else { "--tls-ca" };
            return Err(format!(
                "{option} is for the servers of --watch and of --join native://..., and none is given; the page itself speaks no TLS: \
                 put a reverse proxy in front of it"
            ));
        }
        let trust = self.tls.trust()?;
        if trust.is_some() && !self.join.iter().all(Server::knows_tls) {
            return Err("uecda:// and gat:// know no TLS: start another page without --tls and --tls-ca for them".to_owned());
        }
        Ok(trust)
    }
}

/// Frames for viewers of Geister.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ViewerKind {
    /// Those of the official server: the player to move and the board.
    #[value(name = "official")]
    Official,
    /// Those of the organisers' server of 2024, with names, clocks and results.
    #[value(name = "2024")]
    WithScoreboard,
}

/// Reads an address and a port to listen on.
fn listening(text: &str) -> Result<SocketAddr, String> {
    let wanted = "an address and a port are wanted, such as 127.0.0.1:8080";
    text.parse().map_err(|_| wanted.to_owned())
}

fn level(text: &str) -> Result<Level, String> {
    let level = text.parse().ok().and_then(Level::new);
    level.ok_or_else(|| "a level is a number from 1, for beginners, to 9, the strongest".to_owned())
}

fn place(text: &str) -> Result<(String, u16), String> {
    let (host, port) = text.rsplit_once(':').ok_or("HOST:PORT is wanted")?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let port = port.parse().map_err(|e| format!("port: {e}"))?;
    Ok((host.to_owned(), port))
}

#[derive(Args)]
struct PlayOptions {
    /// The game.
    // The names are in the error of a command line without a game.
    #[arg(value_name = "dobutsu|blokus|geister|score-four|daihinmin")]
    game: GameName,
    /// Engines or levels of the opponents, such as level-3 or best:playouts=500 (of the options of engines, playouts,
    /// simulations and seed can be given here); with fewer, they are repeated.
    #[arg(
        long,
        alias = "engine",
        value_name = "SPEC,...",
        value_delimiter = ',',
        default_value = USUAL_LEVEL
    )]
    against: Vec<String>,
    /// Level of the opponents, from 1, for beginners, to 9, the strongest; the same as --against level-N
    /// [default: the engines of --against].
    #[arg(long, value_name = "N", conflicts_with = "against", value_parser = level)]
    level: Option<Level>,
    /// The person's number among the players, from 0; player 0 has the first seat of the first game.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seat: usize,
    /// Only print the link.
    #[arg(long)]
    no_open: bool,
    /// Play in this terminal, as without a browser.
    #[arg(long, conflicts_with_all = ["no_open", "listen", "json"])]
    terminal: bool,
    /// Address and port of the page [default: a free port of this machine]. Port 0 takes a free one.
    #[arg(long, value_name = "ADDR:PORT", value_parser = listening)]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    page: Page,
}

impl PlayOptions {
    fn opponents(&self) -> Vec<String> {
        match self.level {
            Some(level) => vec![level.name().to_owned()],
            None => self.against.clone(),
        }
    }

    /// What the opponents are, for the person.
    fn about_opponents(&self) -> String {
        let names = self.opponents().join(", ");
        let is_usual = self.level.is_none() && self.against == [USUAL_LEVEL];
        let more = if is_usual {
            " (--level N: 1 is for beginners, 9 the strongest)"
        } else {
            ""
        };
        format!("opponents: {names}{more}\n")
    }

    /// Whether the person plays in the terminal: it is asked for, or there is no browser and nothing asks for the page.
    fn is_at_terminal(&self) -> bool {
        let asks_for_page = self.no_open || self.page.json || self.listen.is_some();
        let is_terminal = stdin().is_terminal() && stdout().is_terminal();
        self.terminal || (!asks_for_page && is_terminal && !has_browser())
    }
}

const OPENER: &str = if cfg!(target_os = "macos") {
    "open"
} else {
    "xdg-open"
};

/// Whether a page can be opened: there is a display and a program for it.
fn has_browser() -> bool {
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY"]
        .into_iter()
        .any(|name| env::var_os(name).is_some_and(|display| !display.is_empty()));
    let path = env::var_os("PATH").unwrap_or_default();
    let has_opener = || env::split_paths(&path).any(|folder| folder.join(OPENER).is_file());
    cfg!(target_os = "macos") || (has_display && has_opener())
}

fn main() -> ExitCode {
    program::start_log();
    match run(&program::options::<Arguments>().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let is_usage = error.is::<Refused>();
            let code = if is_usage {
                program::USAGE
            } else {
                program::FAILED
            };
            program::fail("taikyoku-web", &error, code)
        }
    }
}

#[tokio::main]
async fn run(task: &Task) -> Result<(), Box<dyn Error>> {
    let (listen, page) = match task {
        Task::Web(options) => (options.listen, &options.page),
        Task::Play(options) => {
            let anywhere = SocketAddr::from(([127, 0, 0, 1], 0));
            (options.listen.unwrap_or(anywhere), &options.page)
        }
    };
    let program = env::current_exe()?;
    let folder = program.parent().ok_or("this program lies in no folder")?;
    let gateway = Gateway::new(Options {
        programs: folder.to_owned(),
        records: page.records.clone(),
        keeps_tables: matches!(task, Task::Web(_)),
        watch: match task {
            Task::Web(options) => options.watch.clone(),
            Task::Play(_) => Vec::new(),
        },
        trust: match task {
            Task::Web(options) => options.trust().map_err(Refused)?,
            Task::Play(_) => None,
        },
        viewer: match task {
            Task::Web(options) => options
                .geister_viewer
                .map(|kind| kind == ViewerKind::WithScoreboard),
            Task::Play(_) => None,
        },
        acts: matches!(task, Task::Web(options) if options.acts),
        host_names: page.host_name.clone(),
        behind_proxy: matches!(task, Task::Web(options) if options.behind_proxy),
    })?;
    let stop = stop_when_asked(&gateway)?;
    if let Task::Play(options) = task
        && options.is_at_terminal()
    {
        Gateway::check_play(options.game, &options.opponents(), options.seat).map_err(Refused)?;
        if !options.terminal {
            program::write_out(format_args!(
                "no browser here: a game in this terminal (--no-open gives the link of a page)\n"
            ));
        }
        program::write_out(format_args!("{}", options.about_opponents()));
        let record = gateway
            .play_at_terminal(options.game, &options.opponents(), options.seat)
            .await?;
        if let Some(record) = record {
            program::write_out(format_args!("the record is {}\n", record.display()));
        }
        return Ok(());
    }
    let listener = Listener::bind(listen, gateway.clone()).await.map_err(|e| {
        let remedy = if e.kind() == std::io::ErrorKind::AddrNotAvailable {
            "no such address here: give --listen one of this machine, or 0.0.0.0:PORT for all"
        } else {
            "--listen ADDR:PORT takes another port, 0 a free one"
        };
        format!("cannot listen on {listen}: {e} ({remedy})")
    })?;
    let address = listener.address();
    gateway.restore();
    let links = match task {
        Task::Web(options) => {
            let servers = options.join.iter();
            servers
                .map(|server| gateway.join(server))
                .collect::<Result<_, _>>()?
        }
        Task::Play(options) => gateway
            .play(options.game, &options.opponents(), options.seat)
            .map_err(Refused)?,
    };
    let page_at = format!("http://{address}");
    let others = listener.open_address();
    let others = others.map(|address| format!("http://{address}"));
    print(&page_at, others.as_deref(), &links, page.json);
    if let Task::Play(options) = task
        && !page.json
    {
        let _ = stdout().write_all(options.about_opponents().as_bytes());
    }
    if let (Task::Play(PlayOptions { no_open: false, .. }), [link, ..]) = (task, &links[..]) {
        let once = format!("{page_at}{}", gateway.once(link));
        open(&once, &format!("{page_at}{}", link.path()));
    }
    listener.run().await;
    stop.await?;
    Ok(())
}

/// Prints the address of the page. A closed standard output does not end the server.
fn print(page: &str, others: Option<&str>, links: &[Link], json: bool) {
    let links = links.iter().map(|link| format!("{page}{}", link.path()));
    let links: Vec<String> = links.collect();
    let text = if json {
        format!(
            "{}\n",
            json!({ "page": page, "others": others, "links": links })
        )
    } else {
        let others = others.filter(|others| *others != page);
        let others = others.map(|others| format!("page for others: {others}/\n"));
        let seats = links.iter().map(|link| format!("your seat: {link}\n"));
        let lines = others.into_iter().chain(seats);
        format!("page: {page}/\n{}", lines.collect::<String>())
    };
    let mut out = stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[derive(Debug)]
struct Refused(String);

impl Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Refused {}

/// An opener that fails after more time than this has opened a browser before.
const OPENING: Duration = Duration::from_secs(10);

/// Opens an address in the browser of the person; without one, a line on standard error gives the link.
fn open(address: &str, link: &str) {
    let opened = Command::new(OPENER)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let link = link.to_owned();
    match opened {
        // Some openers run as long as their browser.
        Ok(mut opener) => drop(std::thread::spawn(move || {
            let begun = Instant::now();
            let is_opened = opener.wait().is_ok_and(|status| status.success());
            if !is_opened && begun.elapsed() < OPENING {
                tell_link(&link);
            }
        })),
        Err(_) => tell_link(&link),
    }
}

/// Gives the link to a person without a browser.
fn tell_link(link: &str) {
    eprintln!("no browser opens here: go to {link}");
}

/// Ends the gateway at an interrupt, or when the system asks for it.
fn stop_when_asked(gateway: &Arc<Gateway>) -> std::io::Result<tokio::task::JoinHandle<()>> {
    let gateway = gateway.clone();
    // They are awaited from now on, not from the first look of the task on: a signal in between would end the program.
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        gateway.stop().await;
    }))
}
