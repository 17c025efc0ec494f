//! The files of the page, which the program carries.

use std::io::Write as _;
use std::sync::LazyLock;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use flate2::{Compression, write::GzEncoder};

struct File {
    name: &'static str,
    digest: &'static str,
    /// Whether the name stays while the content changes.
    is_fixed: bool,
    content: &'static [u8],
}

const FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// What they are compressed to, on the first request: a script of the build would need the compressor built a second time.
static COMPRESSED: LazyLock<Vec<Bytes>> = LazyLock::new(|| {
    let compress = |file: &File| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let written = encoder.write_all(file.content);
        let compressed = written.and_then(|()| encoder.finish());
        compressed.expect("memory takes it").into()
    };
    FILES.iter().map(compress).collect()
});

/// The answer to a request for a file; 404 without one of this name.
pub(crate) fn answer(name: &str, request: &HeaderMap) -> Response<Body> {
    let Some(at) = FILES.iter().position(|file| file.name == name) else {
        let mut answer = Response::new("there is no such file\n".into());
        *answer.status_mut() = StatusCode::NOT_FOUND;
        return answer;
    };
    let file = &FILES[at];
    let is_compressed = takes_gzip(request);
    let (content, ending) = if is_compressed {
        (COMPRESSED[at].clone(), "-gzip")
    } else {
        (Bytes::from_static(file.content), "")
    };
    let tag = format!("\"{}{ending}\"", file.digest);
    let is_known = list(request, header::IF_NONE_MATCH)
        .any(|known| known == "*" || known.trim_start_matches("W/") == tag);
    let mut answer = Response::new(if is_known {
        Body::empty()
    } else {
        content.into()
    });
    if is_known {
        *answer.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = answer.headers_mut();
    let tag = HeaderValue::try_from(tag).expect("digests are plain");
    headers.insert(header::ETAG, tag);
    headers.insert(
        header::VARY,
        HeaderValue::from_name(header::ACCEPT_ENCODING),
    );
    let kept = if file.is_fixed {
        "no-cache"
    } else {
        "public, max-age=31536000, immutable"
    };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    if !is_known {
        let kind = HeaderValue::from_static(media_type(name));
        headers.insert(header::CONTENT_TYPE, kind);
        if is_compressed {
            let gzip = HeaderValue::from_static("gzip");
            headers.insert(header::CONTENT_ENCODING, gzip);
        }
    }
    answer
}

/// The parts of a header that is a list.
fn list(request: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = &str> {
    let values = request.get_all(name).into_iter();
    let values = values.filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

/// Whether the client takes gzip; one that weighs its codings takes those above 0.
fn takes_gzip(request: &HeaderMap) -> bool {
    let mut codings = list(request, header::ACCEPT_ENCODING);
    codings.any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=");
        let is_refused = weight.is_some_and(|weight| weight.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(headers: &[(header::HeaderName, &str)]) -> HeaderMap {
        let headers = headers.iter().cloned();
        headers
            .map(|(name, value)| (name, HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    #[test]
    fn the_first_answer_names_two_files_that_stay_and_all_of_the_page_is_light() {
        let page = FILES.iter().find(|file| file.name == "index.html").unwrap();
        let text = std::str::from_utf8(page.content).unwrap();
        let names = text.split("\"/assets/").skip(1);
        let names: Vec<&str> = names.map(|rest| rest.split('"').next().unwrap()).collect();
        let [icon, style, script] = names[..] else {
            panic!("{names:?}");
        };
        let kinds = [
            "image/svg+xml",
            "text/css; charset=utf-8",
            "text/javascript; charset=utf-8",
        ];
        assert_eq!([icon, style, script].map(media_type), kinds);
        for name in [style, script] {
            let answer = answer(name, &HeaderMap::new());
            assert_eq!(answer.status(), StatusCode::OK, "{name}");
            let kept = answer.headers()[header::CACHE_CONTROL].to_str().unwrap();
            assert!(kept.ends_with("immutable"), "{kept}");
        }
        // What a first board does not need.
        let files = FILES.iter().zip(COMPRESSED.iter());
        let first = files
            .filter(|(file, _)| !["imports.json", "lessons.js"].contains(&file.name))
            .filter(|(file, _)| !file.name.starts_with("late-"));
        let whole: usize = first.map(|(_, bytes)| bytes.len()).sum();
        assert!(whole < 100_000, "{whole} bytes");
        for name in ["", "index", "main.js", "../Cargo.toml", "zz.js"] {
            let answer = answer(name, &HeaderMap::new());
            assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{name}");
        }
    }

    #[test]
    fn a_file_is_compressed_for_those_who_take_it_so() {
        for (accepted, is_compressed) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("gzip;q=0, br", false),
            ("gzip;q=0.000", false),
            ("br", false),
            ("", false),
        ] {
            let request = asking(&[(header::ACCEPT_ENCODING, accepted)]);
            let answer = answer("index.html", &request);
            let headers = answer.headers();
            let coding = headers.get(header::CONTENT_ENCODING);
            assert_eq!(coding.is_some(), is_compressed, "{accepted}");
            assert_eq!(headers[header::VARY], "accept-encoding");
        }
    }

    #[test]
    fn a_file_that_is_known_is_not_sent_again() {
        let gzip = (header::ACCEPT_ENCODING, "gzip");
        let tag = |request: &HeaderMap| answer("icon.svg", request).headers()[header::ETAG].clone();
        let (plain, compressed) = (
            tag(&HeaderMap::new()),
            tag(&asking(std::slice::from_ref(&gzip))),
        );
        assert_ne!(plain, compressed);
        let compressed = compressed.to_str().unwrap();
        let two = format!("\"x\", {compressed}");
        for (known, status) in [
            (compressed, StatusCode::NOT_MODIFIED),
            (&two, StatusCode::NOT_MODIFIED),
            ("*", StatusCode::NOT_MODIFIED),
            (plain.to_str().unwrap(), StatusCode::OK),
            ("\"x\"", StatusCode::OK),
        ] {
            let request = asking(&[gzip.clone(), (header::IF_NONE_MATCH, known)]);
            let answer = answer("icon.svg", &request);
            assert_eq!(answer.status(), status, "{known}");
            assert_eq!(answer.headers()[header::ETAG], compressed);
        }
    }
}
