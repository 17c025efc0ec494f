//! The page: a gateway from browsers to tables.
//!
//! A person at a browser is a player like any other: the browser sends what the person chose, and a client of the game's
//! protocol sits at the table for it. What is shown comes as frames from the events of that client, and replays from records.
//! Nothing here knows a rule, referees a game or builds a message from text: every message to the page is a type in
//! `messages.rs`. A page gets what its seat may know and no more.
//!
//! Begin reading at `routes.rs` and `socket.rs`, then follow a move from `seat.rs` to `browser.rs`.
//!
//! | part | what it does |
//! |---|---|
//! | `listener`, `stream`, `routes`, `socket`, `assets` | the port and its connections, HTTP, WebSockets and the files of the page |
//! | `hosts`, `limits`, `token`, `own_folder` | the names of this machine; what one address may use; secrets, and where they lie |
//! | [`Gateway`], `table`, `kept` | the tables: those with programs of their own, which outlast the gateway, and seats at servers elsewhere |
//! | `catalogue` | the games with their engines and rules |
//! | `seat`, `browser`, `join` | a person at a table: what a page shows, the player behind it, its client |
//! | `records`, `replay`, `answers`, `leagues`, `ladders` | record files; replays of records as the page shows them, each made once; reports of leagues and states of ladders in the same folder |
//! | `advice`, `thoughts` | what an engine would play, for practice, and what the bots thought |
//! | `watched`, `viewer` | tables of other servers, to be watched; Geister for viewers of the official server |
//! | `lessons` | positions in which a reader looks for a move |
//! | `frames`, `messages` | the frames of a seat; all messages to the page |

mod advice;
mod analysis;
mod answers;
mod assets;
mod browser;
mod calibration;
mod catalogue;
mod frames;
mod gateway;
mod hosts;
mod import;
mod join;
mod kept;
mod ladders;
mod leagues;
mod lessons;
mod limits;
mod listener;
mod messages;
mod own_folder;
mod pictures;
mod records;
mod replay;
mod routes;
mod seat;
mod server;
mod socket;
mod stream;
mod table;
mod thoughts;
mod token;
mod viewer;
mod watched;

pub use catalogue::USUAL_LEVEL;
pub use gateway::{Gateway, Link, Options};
pub use listener::Listener;
pub use server::Server;
pub use token::Token;
