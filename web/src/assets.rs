//! The files of the page, which the program carries.

use axum::body::Body;
use axum::http::{Response, StatusCode, header};

/// Names below `web/assets` and contents, in the order of the names.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The answer with a file; 404 without one of this name.
pub(crate) fn answer(name: &str) -> Response<Body> {
    let Ok(at) = FILES.binary_search_by_key(&name, |(name, _)| name) else {
        let mut answer = Response::new("there is no such file\n".into());
        *answer.status_mut() = StatusCode::NOT_FOUND;
        return answer;
    };
    let mut answer = Response::new(FILES[at].1.into());
    let kind = header::HeaderValue::from_static(media_type(name));
    answer.headers_mut().insert(header::CONTENT_TYPE, kind);
    answer
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_their_names() {
        let page = answer("index.html");
        assert_eq!(page.status(), StatusCode::OK);
        assert_eq!(
            page.headers()[header::CONTENT_TYPE],
            media_type("index.html")
        );
        for name in ["", "index", "../Cargo.toml", "zz.js"] {
            assert_eq!(answer(name).status(), StatusCode::NOT_FOUND, "{name}");
        }
    }
}
