//! Text in a page.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Text that stands for itself in HTML and SVG, in elements and attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A name in a sentence or a cell: its direction of writing stays its own.
pub(super) fn name(text: &str) -> String {
    format!("<bdi>{}</bdi>", escape(text))
}

/// A name for a plot, cut to a width in half cells of East Asian text, with the whole of it for who points at it.
pub(super) fn label(text: &str, width: usize) -> String {
    if text.width() <= width {
        return escape(text);
    }
    let mut room = width.saturating_sub(1);
    let short = text.chars().take_while(|c| {
        let own = c.width().unwrap_or(1);
        let fits = own <= room;
        room -= own.min(room);
        fits
    });
    let short: String = short.collect();
    format!("<title>{}</title>{}…", escape(text), escape(&short))
}
