//! What can be asked for by HTTP.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use bots::Level;
use games::GameName;
use record::Frame;
use record::files::address;
use record::import::MOST_BYTES as MOST_IMPORTED;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::io::ReaderStream;

use crate::analysis::Question;
use crate::answers::AnswerSource;
use crate::gateway::{Gateway, Held, Link, Refusal};
use crate::hosts::{is_own_page, open_address};
use crate::ladders::{self, Badge, LadderPath};
use crate::leagues::{self, JOURNAL, League};
use crate::lessons::{self, Lesson};
use crate::limits::{Peer, WorkPermit};
use crate::messages::{
    CommandAnswer, ErrorAnswer, GameInfo, ImportRefusal, NewTable, SeatInfo, SeatToken,
};
use crate::records::Missing;
use crate::table::Settings;
use crate::watched::{CommandRefusal, CommandRequest, Highlight};
use crate::{analysis, assets, catalogue, import as imports, pictures, records, replay, socket};

const MOST_BYTES: usize = 64 << 10;

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

/// The policy of reports of leagues: a report has its style and its script in itself, and the script sees nothing that browsers
/// keep for this address.
const OF_REPORTS: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; sandbox allow-scripts allow-downloads \
     allow-popups allow-popups-to-escape-sandbox; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// All routes. Those of the page have one file.
pub(crate) fn routes(gateway: Arc<Gateway>) -> Router {
    let large = Router::new()
        .route("/api/records", get(all_records))
        .route("/api/records/{id}", get(whole_record))
        .route("/api/records/{id}/games/{game}", get(one_game))
        .route("/api/records/{id}/sheet", get(first_sheet))
        .route("/api/records/{id}/sheet/{game}", get(sheet))
        .route_layer(from_fn_with_state(gateway.clone(), in_place));
    let mut router = Router::new()
        .route("/ws", get(websocket))
        .route("/o/{code}", get(once).head(StatusCode::NO_CONTENT))
        .route("/api/games", get(async || Json(all_games())))
        .route("/api/lessons/{game}", get(all_lessons))
        .route("/api/pictures/{game}", get(all_pictures))
        .route("/api/lessons/{game}/{lesson}/{move}", get(judged))
        .route("/api/tables", post(make_table))
        .route("/api/seats", post(seats))
        .route("/api/seats/end", post(end))
        .route("/api/records/{id}/games/{game}/plies/{ply}", post(analyse))
        .route("/api/records/{id}/download", get(download))
        .route("/api/import", post(import))
        .route("/api/leagues", get(all_leagues))
        .route("/api/ladders", get(all_ladders))
        .route("/api/ladders/{ladder}", get(of_ladder))
        .route("/api/ladders/{ladder}/entrants/{n}", get(of_ladder))
        .route("/api/ladders/{ladder}/entrants/{n}/badge.svg", get(badge))
        .route("/api/ladders/{ladder}/entrants/{n}/tables", post(ask))
        .route("/api/highlights", get(highlights))
        .route("/leagues/{league}/{file}", get(of_league))
        .route("/leagues/{league}/records/{file}", get(record_of_league))
        .route(
            "/assets/{*name}",
            get(async |Path(name): Path<String>, headers: HeaderMap| {
                assets::answer(&name, &headers)
            }),
        );
    router = router.merge(large);
    for path in [
        "/",
        "/play/{game}",
        "/learn/{game}",
        "/t/{table}",
        "/w/{source}",
        "/w/{source}/{match}",
        "/watch",
        "/wall",
        "/wall/{source}",
        "/g/{id}",
        "/records",
        "/ladder/{ladder}",
        "/ladder/{ladder}/{number}",
    ] {
        router = router.route(
            path,
            get(async |headers: HeaderMap| assets::answer("index.html", &headers)),
        );
    }
    if gateway.acts {
        router = router.route("/api/acts", post(act));
    }
    if let Some(with_scoreboard) = gateway.viewer {
        let viewer = async move |State(gateway), Extension(peer), request| {
            socket::upgrade_viewer(gateway, request, peer, with_scoreboard)
        };
        router = router.route("/ws/geister", get(viewer));
    }
    router
        .fallback(elsewhere)
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .layer(from_fn_with_state(gateway.clone(), guarded))
        .with_state(gateway)
}

/// The page, with the games to choose from, for an address that does not exist.
async fn elsewhere() -> Response<Body> {
    let mut answer = assets::answer("index.html", &HeaderMap::new());
    *answer.status_mut() = StatusCode::NOT_FOUND;
    answer
}

/// Refuses requests in the name of other pages, and sets the headers of answers.
async fn guarded(
    State(gateway): State<Arc<Gateway>>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    let visitor = visitor(request.headers()).filter(|_| gateway.behind_proxy);
    let peer = request.extensions_mut().get_mut::<Peer>();
    let is_local = peer
        .as_ref()
        .is_none_or(|peer| peer.listening.ip().is_loopback());
    let mut limit = None;
    if let Some(peer) = peer.filter(|peer| peer.address.is_loopback())
        && let Some(address) = visitor
    {
        match gateway.limits.pass_on(address) {
            Ok(permit) => {
                peer.address = address;
                peer.request = Some(Arc::new(permit));
            }
            Err(reached) => limit = Some(reached),
        }
    }
    let host = request.headers().get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok());
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let mut answer = if let Some(limit) = limit {
        (StatusCode::TOO_MANY_REQUESTS, format!("{limit}\n")).into_response()
    } else if host.is_none_or(|host| !gateway.hosts.has(host, is_local)) {
        let reason = "this is no name of this machine (--host-name gives it more)\n";
        (StatusCode::MISDIRECTED_REQUEST, reason).into_response()
    } else if !reads && !is_own_page(request.headers()) {
        (StatusCode::FORBIDDEN, "this page is not of this gateway\n").into_response()
    } else {
        next.run(request).await
    };
    for (name, value) in HEADERS {
        let headers = answer.headers_mut();
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    answer
}

/// The address of the visitor for whom a proxy asks: the last of those that it names, as the visitor may name the others.
fn visitor(headers: &HeaderMap) -> Option<IpAddr> {
    let all = headers.get_all("x-forwarded-for").iter().next_back()?;
    let last = all.to_str().ok()?.rsplit(',').next()?.trim();
    let with_port = || Some(last.parse::<SocketAddr>().ok()?.ip());
    let address = last.parse::<IpAddr>().ok().or_else(with_port)?;
    Some(address.to_canonical())
}

/// Answers in a place of the client's address, as few large answers are in memory at the same time.
async fn in_place(
    (State(gateway), Extension(peer)): Client,
    request: Request,
    next: Next,
) -> Response<Body> {
    let place = gateway.places.take(peer.address).await;
    placed(next.run(request).await, place).await
}

/// An answer that keeps its place until its last byte is sent. Hyper drops a body when it has taken all bytes of it, so the
/// place goes with the bytes.
async fn placed(answer: Response<Body>, place: WorkPermit) -> Response<Body> {
    struct Placed(
        Bytes,
        #[expect(dead_code, reason = "it is given back with this")] WorkPermit,
    );
    impl AsRef<[u8]> for Placed {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }
    let (parts, body) = answer.into_parts();
    match to_bytes(body, usize::MAX).await {
        Ok(bytes) => {
            let content = Bytes::from_owner(Placed(bytes, place));
            Response::from_parts(parts, content.into())
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Leads a browser to the seat of a code. A request for the head alone leaves the code as it is: programs that open
/// addresses look at them first.
async fn once(State(gateway): State<Arc<Gateway>>, Path(code): Path<String>) -> Response<Body> {
    let Some(place) = gateway.spend(&code) else {
        let reason = "this address was good for one use within a minute; the terminal shows the link to the seat\n";
        return (StatusCode::GONE, reason).into_response();
    };
    let headers = [
        (header::LOCATION, place),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (StatusCode::SEE_OTHER, headers).into_response()
}

async fn websocket((State(gateway), Extension(peer)): Client, request: Request) -> Response<Body> {
    socket::upgrade(gateway, request, peer)
}

fn all_games() -> Vec<GameInfo> {
    let games = GameName::ALL.into_iter();
    games
        .map(|game| GameInfo {
            name: game,
            seats: game.seats(),
            engines: catalogue::engines(game),
            levels: Level::ALL.map(Level::name).to_vec(),
            usual_level: catalogue::USUAL_LEVEL,
            increments: game.protocol() == "native",
            rules: catalogue::rules(game),
        })
        .collect()
}

async fn highlights(State(gateway): State<Arc<Gateway>>) -> Json<Vec<Highlight>> {
    Json(gateway.watched.highlights())
}

async fn all_lessons(Path(game): Path<GameName>) -> Json<Vec<Lesson>> {
    Json(lessons::all(game))
}

async fn all_pictures(Path(game): Path<GameName>) -> Json<Vec<Frame>> {
    Json(pictures::all(game))
}

async fn judged(Path((game, lesson, mv)): Path<(GameName, usize, String)>) -> Response<Body> {
    let verdict = lessons::judge(game, lesson, &mv).map(Json);
    verdict.ok_or(StatusCode::NOT_FOUND).into_response()
}

/// The gateway, and the client of a request.
type Client = (State<Arc<Gateway>>, Extension<Peer>);

/// The JSON of a request whose body comes in time. One that never came would hold a connection for ever.
struct TimedJson<T>(T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for TimedJson<T> {
    type Rejection = Response<Body>;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response<Body>> {
        let peer = request.extensions().get::<Peer>();
        let limit = peer.expect("every connection has one").body_limit;
        match timeout(limit, Json::from_request(request, state)).await {
            Ok(Ok(Json(value))) => Ok(TimedJson(value)),
            Ok(Err(refused)) => Err(refused.into_response()),
            Err(_) => Err(StatusCode::REQUEST_TIMEOUT.into_response()),
        }
    }
}

async fn make_table(
    (State(gateway), Extension(peer)): Client,
    TimedJson(value): TimedJson<Value>,
) -> Response<Body> {
    // To see whether an engine can play reads its table or its network, which takes seconds.
    let made = tokio::task::spawn_blocking(move || {
        serde_json::from_value::<Settings>(value)
            .map_err(|e| Refusal::Wrong(e.to_string()))
            .and_then(|settings| gateway.make(settings, peer.address))
    })
    .await;
    let Ok(made) = made else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    seated(made, peer.listening)
}

/// The answer with the seats of a table that was made for a client of this address.
fn seated(made: Result<Vec<Link>, Refusal>, listening: SocketAddr) -> Response<Body> {
    match made {
        Ok(links) => {
            let tokens = links.iter();
            let tokens = tokens.map(|link| SeatToken {
                seat: link.player,
                token: link.token.to_string(),
            });
            let made = NewTable {
                table: links.first().map(|link| link.table.clone()),
                tokens: tokens.collect(),
                others: open_address(listening).map(|address| format!("http://{address}")),
            };
            (StatusCode::CREATED, Json(made)).into_response()
        }
        Err(Refusal::Wrong(reason)) => refused(StatusCode::BAD_REQUEST, None, reason),
        Err(Refusal::Limit(limit)) => {
            refused(StatusCode::TOO_MANY_REQUESTS, None, limit.to_string())
        }
    }
}

fn refused(status: StatusCode, code: Option<&'static str>, error: String) -> Response<Body> {
    (status, Json(ErrorAnswer { code, error })).into_response()
}

/// The seats that a page knows, with their tokens, and that it can come back to.
async fn seats(
    State(gateway): State<Arc<Gateway>>,
    TimedJson(held): TimedJson<Vec<Held>>,
) -> Json<Vec<Option<SeatInfo>>> {
    Json(gateway.seats(&held))
}

async fn end(
    State(gateway): State<Arc<Gateway>>,
    TimedJson(held): TimedJson<Held>,
) -> Response<Body> {
    if gateway.end(&held) {
        return StatusCode::NO_CONTENT.into_response();
    }
    let reason = "there is no such seat".to_owned();
    refused(StatusCode::NOT_FOUND, None, reason)
}

async fn act(
    State(gateway): State<Arc<Gateway>>,
    TimedJson(value): TimedJson<Value>,
) -> Response<Body> {
    let answer = match serde_json::from_value::<CommandRequest>(value) {
        // The server of the league answers wrong tokens late, and knows the right one.
        Ok(request) => gateway.watched.act(&request).await,
        Err(e) => Err(CommandRefusal::Wrong(e.to_string())),
    };
    match answer {
        Ok(text) => Json(CommandAnswer { text }).into_response(),
        Err(reason) => {
            let (status, code, error) = reason.answer();
            refused(status, Some(code), error)
        }
    }
}

/// Reads files on a thread that may wait for the disk; few do so at the same time, and fewer for one address.
async fn read(
    (State(gateway), Extension(peer)): Client,
    work: impl FnOnce(&Gateway) -> Response<Body> + Send + 'static,
) -> Response<Body> {
    let place = gateway.reading.take(peer.address).await;
    let read = tokio::task::spawn_blocking(move || {
        let answer = work(&gateway);
        drop(place);
        answer
    })
    .await;
    read.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

fn missing(missing: Missing) -> Response<Body> {
    let (status, reason) = match missing {
        Missing::Absent => (StatusCode::NOT_FOUND, "there is no such record".to_owned()),
        Missing::Broken(reason) => (StatusCode::UNPROCESSABLE_ENTITY, reason),
    };
    refused(status, None, reason)
}

/// The answer with the list of a folder of records.
fn listed<T: Serialize>(list: io::Result<Vec<T>>) -> Response<Body> {
    match list {
        Ok(list) => Json(list).into_response(),
        Err(e) => {
            log::warn!("the folder of records: {e}");
            missing(Missing::Absent)
        }
    }
}

async fn all_records(client: Client) -> Response<Body> {
    let work = |gateway: &Gateway| listed(records::list(gateway.records(), &gateway.unlisted()));
    read(client, work).await
}

async fn all_leagues(client: Client) -> Response<Body> {
    read(client, |gateway| listed(leagues::list(gateway.records()))).await
}

async fn all_ladders(client: Client) -> Response<Body> {
    read(client, |gateway| listed(ladders::list(gateway.records()))).await
}

/// The state of a ladder, or an entrant.
async fn of_ladder(client: Client, Path(path): Path<LadderPath>) -> Response<Body> {
    let work = move |gateway: &Gateway| {
        let found = path.read::<Value>(gateway.records());
        found.map(Json).into_response()
    };
    read(client, work).await
}

/// The badge of an entrant, which other sites may show.
async fn badge(client: Client, Path(path): Path<LadderPath>) -> Response<Body> {
    let svg = ("content-type", "image/svg+xml");
    let shared = ("cross-origin-resource-policy", "cross-origin");
    let work = move |gateway: &Gateway| {
        let found = path.read::<Badge>(gateway.records());
        let found = found.map(|badge| ([svg, shared], badge.svg()));
        found.into_response()
    };
    read(client, work).await
}

/// A table at a ladder.
async fn ask(
    (State(gateway), Extension(peer)): Client,
    Path(path): Path<LadderPath>,
) -> Response<Body> {
    seated(gateway.ask(&path, peer.address), peer.listening)
}

/// The report of a league, or one of its tables.
async fn of_league(
    State(gateway): State<Arc<Gateway>>,
    Path((league, name)): Path<(String, String)>,
) -> Response<Body> {
    let found = League::named(gateway.records(), &league, JOURNAL);
    let Some(path) = found.and_then(|league| league.file(&name)) else {
        return elsewhere().await;
    };
    let Ok(file) = tokio::fs::File::open(path).await else {
        return elsewhere().await;
    };
    // The report of a long league has some megabytes.
    let content = Body::from_stream(ReaderStream::new(file));
    if name != leagues::PAGE {
        return attachment(&name, content);
    }
    let mut answer = Response::new(content);
    let headers = answer.headers_mut();
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CONTENT_SECURITY_POLICY, OF_REPORTS);
    answer
}

/// Leads from a link of a report, which names the file of the record, to the replay. Browsers keep the fragment, which
/// names the game.
async fn record_of_league(Path((league, name)): Path<(String, String)>) -> Response<Body> {
    let Some(id) = name.strip_suffix(".jsonl") else {
        return elsewhere().await;
    };
    // The page reads an address before it calls the record by it.
    let id = format!("{}:{}", address(league.as_ref()), address(id.as_ref()));
    let place = format!("/g/{}", id.replace('%', "%25"));
    (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response()
}

async fn whole_record(client: Client, Path(id): Path<String>) -> Response<Body> {
    read(client, move |gateway| replayed(gateway, &id, None)).await
}

async fn one_game(client: Client, Path((id, game)): Path<(String, u32)>) -> Response<Body> {
    read(client, move |gateway| replayed(gateway, &id, Some(game))).await
}

fn replayed(gateway: &Gateway, id: &str, game: Option<u32>) -> Response<Body> {
    let record = records::file(gateway.records(), id);
    let source = record.and_then(|record| AnswerSource::of(&record, game).ok());
    let Some(source) = source else {
        return missing(Missing::Absent);
    };
    let make = || {
        let answer = replay::show(gateway.records(), id, game)?;
        let answer = serde_json::to_vec(&answer).expect("an answer is plain data");
        Ok(answer.into())
    };
    let json = [(header::CONTENT_TYPE, "application/json")];
    let answer = gateway.answers.get(&source, make);
    answer.map_or_else(missing, |bytes| (json, bytes).into_response())
}

async fn analyse(
    client: Client,
    Path((id, game, ply)): Path<(String, u32, u32)>,
    TimedJson(question): TimedJson<Question>,
) -> Response<Body> {
    let (State(gateway), Extension(peer)) = &client;
    let place = if question.searches() {
        Some(gateway.searching.take(peer.address).await)
    } else {
        None
    };
    read(client, move |gateway| {
        let found = analysis::analyse(gateway.records(), &id, (game, ply), &question);
        drop(place);
        found.map_or_else(missing, |found| Json(found).into_response())
    })
    .await
}

/// Makes a record of a text. Few bodies are in memory at the same time.
async fn import(client: Client, request: Request) -> Response<Body> {
    let (State(gateway), Extension(peer)) = &client;
    let refused = |status, error: &str| {
        let refusal = ImportRefusal {
            code: None,
            line: None,
            error: error.to_owned(),
        };
        (status, Json(refusal)).into_response()
    };
    if !gateway.keeps_records {
        let reason = "this page keeps no records: start it with --records";
        return refused(StatusCode::CONFLICT, reason);
    }
    if leagues::is_of_league(gateway.records()) {
        let reason = "these are the records of a league or a ladder: no others are added";
        return refused(StatusCode::CONFLICT, reason);
    }
    let place = gateway.importing.take(peer.address).await;
    let whole = to_bytes(request.into_body(), MOST_IMPORTED);
    let text = match timeout(peer.body_limit, whole).await {
        Ok(Ok(text)) => text,
        Ok(Err(_)) => {
            let reason = format!("the text has more than {} MiB", MOST_IMPORTED >> 20);
            return refused(StatusCode::PAYLOAD_TOO_LARGE, &reason);
        }
        Err(_) => return StatusCode::REQUEST_TIMEOUT.into_response(),
    };
    read(client, move |gateway| {
        let made = imports::import(gateway.records(), &text);
        drop(place);
        match made {
            Ok(made) => (StatusCode::CREATED, Json(made)).into_response(),
            Err(refusal) => (StatusCode::UNPROCESSABLE_ENTITY, Json(refusal)).into_response(),
        }
    })
    .await
}

/// A record's own name, without that of its league.
fn own_name(id: &str) -> &str {
    id.rsplit(':').next().unwrap_or(id)
}

/// A file to keep, with its name as addresses have it.
fn attachment(name: &str, content: Body) -> Response<Body> {
    let mut answer = Response::new(content);
    let named = format!("attachment; filename*=UTF-8''{name}");
    let named = HeaderValue::from_str(&named).expect("such names are plain");
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_DISPOSITION, named);
    let kind = HeaderValue::from_static("application/octet-stream");
    headers.insert(header::CONTENT_TYPE, kind);
    answer
}

async fn download(client: Client, Path(id): Path<String>) -> Response<Body> {
    read(client, move |gateway| {
        match records::whole(gateway.records(), &id) {
            Ok(file) => {
                let file = tokio::fs::File::from_std(file);
                let content = Body::from_stream(ReaderStream::new(file));
                attachment(&format!("{}.jsonl", own_name(&id)), content)
            }
            Err(reason) => missing(reason),
        }
    })
    .await
}

async fn first_sheet(client: Client, Path(id): Path<String>) -> Response<Body> {
    sheet(client, Path((id, 1))).await
}

async fn sheet(client: Client, Path((id, game)): Path<(String, u32)>) -> Response<Body> {
    read(client, move |gateway| {
        match replay::sheet(gateway.records(), &id, game) {
            Ok((text, ending)) => {
                attachment(&format!("{}-{game}.{ending}", own_name(&id)), text.into())
            }
            Err(reason) => missing(reason),
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use futures_util::FutureExt as _;

    use super::*;
    use crate::limits::WorkPermits;

    #[test]
    fn the_proxy_names_its_visitor_last() {
        let named = |lines: &[&str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                let line = HeaderValue::from_str(line).expect("a value");
                headers.append("x-forwarded-for", line);
            }
            visitor(&headers).map(|address| address.to_string())
        };
        for (lines, address) in [
            (&["192.0.2.1"][..], Some("192.0.2.1")),
            (&["127.0.0.1, 192.0.2.1"], Some("192.0.2.1")),
            (&["192.0.2.9", "198.51.100.4,192.0.2.1"], Some("192.0.2.1")),
            (&["2001:db8::1"], Some("2001:db8::1")),
            (&["[2001:db8::1]:443"], Some("2001:db8::1")),
            (&["192.0.2.1:5000"], Some("192.0.2.1")),
            (&["::ffff:192.0.2.1"], Some("192.0.2.1")),
            (&["192.0.2.1, unknown"], None),
            (&[""], None),
            (&[], None),
        ] {
            assert_eq!(named(lines).as_deref(), address, "{lines:?}");
        }
    }

    #[tokio::test]
    async fn an_answer_keeps_its_place_until_its_bytes_are_sent() {
        let places = WorkPermits::of_answers();
        let address = IpAddr::from(Ipv4Addr::LOCALHOST);
        let mut waiting = Vec::new();
        while let Some(place) = places.take(address).now_or_never() {
            let answer = placed(Json([1]).into_response(), place).await;
            let unread = to_bytes(answer.into_body(), usize::MAX).await;
            waiting.push(unread.expect("an answer"));
        }
        assert_eq!(waiting.pop().expect("an answer"), "[1]");
        assert!(places.take(address).now_or_never().is_some());
    }
}
