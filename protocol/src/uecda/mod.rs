//! The binary protocol of the UECda Daihinmin tournament.
//!
//! A message is a [`CardTable`] of 8 x 15 integers or a single integer; there is no length and no
//! type on the wire, so both sides follow the same order of messages:
//!
//! ```text
//! client                         server
//!   profile table        ->
//!                        <-      player number (int)
//!   per game             <-      deal table
//!   exchange table       ->      (daifugo and fugo only)
//!   per turn             <-      hand table
//!   submission table     ->      (the player to move only)
//!                        <-      ack (int: 9 accepted, 8 refused or passed; the mover only)
//!                        <-      field table
//!                        <-      end (int: 0 goes on, 1 game over, 2 match over)
//! ```
//!
//! `protocol/UECDA.md` specifies the messages, cell by cell, and the rules that a server judges by.

mod card_table;
mod client_end;
mod message;
mod profile;
mod server_end;
mod submission;
mod wire;

pub use card_table::{CELLS, COLUMNS, CardTable, Cell, ROWS, cell};
pub use client_end::{ClientEnd, ClientError, End, Event};
pub use message::{Deal, Field, Hand, MessageError, Status};
pub use profile::{PROFILE_NAME_LEN, Profile, RequestedVersion, SERVER_NAME_LEN, Version};
pub use server_end::{ACK_ACCEPTED, ACK_REFUSED, Composed, ServerEnd, Standing};
pub use submission::{
    GiftChoice, MalformedGift, MalformedTable, Scan, Submission, cards_table, check_values,
    joker_cell, meld_table, named_cards,
};
pub use wire::{
    FrameReader, INT_LEN, WireError, decode_int, decode_table, encode_int, encode_table,
    int_message, table_message,
};
