//! Codecs and both ends of all protocols, in one program.

mod gat_codec;
mod gat_ends;
mod gat_games;
mod gtp;
mod native;
#[cfg(feature = "tls")]
mod tls;
mod uecda_client;
mod uecda_codec;
mod usi;
