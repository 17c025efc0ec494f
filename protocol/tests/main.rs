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

/// A stream in pieces of these sizes, over and over.
fn pieces<'a>(stream: &'a [u8], sizes: &[usize]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = stream;
    sizes.iter().cycle().map_while(move |&size| {
        let (piece, after) = rest.split_at(size.min(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}
