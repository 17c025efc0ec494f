//! What can be asked for by HTTP.

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request};
use axum::http::{HeaderName, HeaderValue, Response, header};
use axum::middleware::{Next, from_fn};
use axum::routing::get;

use crate::assets;

/// Headers of every answer. The page loads nothing from elsewhere, and no other page may show it in a frame.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::CACHE_CONTROL, "no-cache"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// All routes. Those of the page have one file.
pub(crate) fn routes() -> Router {
    let mut router = Router::new().route(
        "/assets/{*name}",
        get(async |Path(name): Path<String>| assets::answer(&name)),
    );
    for path in [
        "/",
        "/play/{game}",
        "/t/{table}",
        "/w/{source}",
        "/w/{source}/{match}",
        "/wall/{source}",
        "/g/{id}",
        "/records",
    ] {
        router = router.route(path, get(async || assets::answer("index.html")));
    }
    router.layer(from_fn(with_headers))
}

async fn with_headers(request: Request, next: Next) -> Response<Body> {
    let mut answer = next.run(request).await;
    for (name, value) in HEADERS {
        let headers = answer.headers_mut();
        headers.insert(name, HeaderValue::from_static(value));
    }
    answer
}
