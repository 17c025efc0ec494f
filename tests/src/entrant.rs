//! Entrants of a contest on machines of their own: each comes to its port again and again, as a client in a loop of the
//! shell does.

use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::native::{Client, Random};
use crate::patience::connect_now;
use crate::{gat, programs, uecda};

/// Pause before an entrant comes again: nobody may be listening.
const AGAIN: Duration = Duration::from_millis(10);

/// An entrant that comes again and again until this is dropped.
#[derive(Debug)]
pub struct Entrant(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Its port, which may change; 0 is none.
    port: AtomicU16,
    stop: AtomicBool,
    child: Mutex<Option<Child>>,
}

impl Shared {
    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entrant {
    /// Plays with `play`, which gets the port and how often it has played before, and is to come back when there is nothing
    /// to play.
    pub fn new(port: u16, play: impl Fn(u16, u32) + Send + 'static) -> Entrant {
        Entrant::begin(port, move |_, port, number| play(port, number))
    }

    fn begin(port: u16, play: impl Fn(&Shared, u16, u32) + Send + 'static) -> Entrant {
        let shared = Arc::new(Shared {
            port: port.into(),
            ..Shared::default()
        });
        let own = Arc::clone(&shared);
        thread::spawn(move || {
            let mut number = 0;
            while !own.stop.load(Ordering::Relaxed) {
                match own.port.load(Ordering::Relaxed) {
                    0 => {}
                    port => play(&own, port, number),
                }
                number += 1;
                thread::sleep(AGAIN);
            }
        });
        Entrant(shared)
    }

    pub fn moves_to(&self, port: u16) {
        self.0.port.store(port, Ordering::Relaxed);
    }

    /// A player of the native protocol by hand.
    pub fn random(port: u16, seed: u64) -> Entrant {
        Entrant::new(port, move |port, number| {
            let Ok(stream) = connect_now(port) else {
                return;
            };
            let mut client = Client::of(stream);
            let hello = json!({"type": "hello", "versions": [1], "name": "x"}).to_string() + "\n";
            if client.write(hello.as_bytes()).is_ok() && client.line().is_ok() {
                Random::new("x", seed + u64::from(number)).play(client);
            }
        })
    }

    /// A player of UECda by hand; `with` makes it from how often it has played before.
    pub fn uecda(port: u16, with: impl Fn(u32) -> uecda::Player + Send + 'static) -> Entrant {
        Entrant::new(port, move |port, number| {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                let _ = with(number).play(port, mpsc::channel().0);
            }
        })
    }

    /// A player of GAT by hand.
    pub fn gat(port: u16, seed: u64) -> Entrant {
        Entrant::new(port, move |port, number| {
            if let Ok(stream) = connect_now(port) {
                let player = gat::Player::honest(seed + u64::from(number));
                player.play_on(stream, &mpsc::channel().0);
            }
        })
    }

    /// A bot of the project in 3D four-in-a-row, with a token.
    pub fn bot(port: u16, token: &'static str) -> Entrant {
        Entrant::begin(port, move |shared, port, number| {
            let mut child = shared.child();
            // The caller that stops it has seen all programs before.
            if shared.stop.load(Ordering::Relaxed) {
                return;
            }
            let line = format!("--engine random --connect-timeout 1 --seed {number}");
            let mut bot = programs::bot("score-four", port, &line);
            let quiet = bot.env("TAIKYOKU_TOKEN", token).stdout(Stdio::null());
            *child = Some(quiet.stderr(Stdio::null()).spawn().expect("a program"));
            drop(child);
            let runs = |child: &mut Child| child.try_wait().expect("a program").is_none();
            while shared.child().as_mut().is_some_and(runs) {
                thread::sleep(Duration::from_millis(5));
            }
        })
    }
}

impl Drop for Entrant {
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::Relaxed);
        if let Some(child) = &mut *self.0.child() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
