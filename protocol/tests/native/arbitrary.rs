//! Messages of every kind.

use proptest::prelude::*;
use serde_json::Value;
use taikyoku_protocol::native::{Act, ClientMessage, Clocks, ErrorCode, Hello, ServerMessage};

pub(super) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-d][1-4]",
        Just("\"\\\n\r\u{0}{[".to_owned())
    ]
}

pub(super) fn option<T: std::fmt::Debug>(
    inner: impl Strategy<Value = T>,
) -> impl Strategy<Value = Option<T>> {
    proptest::option::of(inner)
}

pub(super) fn client_message() -> impl Strategy<Value = ClientMessage> {
    let hello = (
        proptest::collection::vec(any::<u32>(), 0..4),
        text(),
        option(text()),
        option(text()),
        option(text()),
        option(any::<u64>()),
        any::<bool>(),
        option(any::<u64>()),
    );
    prop_oneof![
        hello.prop_map(
            |(versions, name, client, game, token, last, watch, wanted)| {
                ClientMessage::Hello(Hello {
                    versions,
                    name,
                    client,
                    game,
                    token,
                    last,
                    watch,
                    wanted,
                })
            }
        ),
        (option(any::<u32>()), option(any::<u32>()), text())
            .prop_map(|(game, ply, mv)| ClientMessage::Move { game, ply, mv }),
        Just(ClientMessage::Legal),
        Just(ClientMessage::View),
        Just(ClientMessage::Resign),
        any::<u32>().prop_map(|game| ClientMessage::Crash { game }),
        any::<u32>().prop_map(|game| ClientMessage::Ready { game }),
        Just(ClientMessage::Leave),
        (text(), option(text()), option(text()), text()).prop_map(|(act, key, entrant, reason)| {
            ClientMessage::Act(Act {
                act,
                key,
                entrant,
                reason,
            })
        }),
    ]
}

pub(super) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 40, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(text(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

pub(super) fn scores() -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec((-1000_i32..1000).prop_map(|n| f64::from(n) / 2.0), 0..6)
}

pub(super) fn server_message() -> impl Strategy<Value = ServerMessage> {
    let n = any::<u64>;
    let m = any::<u32>;
    let s = any::<u8>;
    let seats = || proptest::collection::vec(any::<u8>(), 0..6);
    prop_oneof![
        (m(), text(), text(), n(), s(), text(), any::<bool>()).prop_map(
            |(version, server, game, number, player, token, resumed)| ServerMessage::Welcome {
                version,
                server,
                game,
                number,
                player,
                token,
                resumed
            }
        ),
        (
            proptest::collection::vec(text(), 0..6),
            m(),
            value(),
            option(n()),
            option(n()),
            option(n())
        )
            .prop_map(
                |(players, games, rules, budget_ms, increment_ms, move_ms)| ServerMessage::Match {
                    players,
                    games,
                    rules,
                    clocks: Clocks {
                        budget_ms,
                        increment_ms,
                        move_ms,
                        resume_ms: None
                    },
                }
            ),
        (n(), m(), seats(), m()).prop_map(|(event, game, players, ply)| ServerMessage::Game {
            event,
            game,
            players,
            ply
        }),
        (n(), m(), s(), m(), option(s()), value()).prop_map(
            |(event, game, seat, ply, to_move, view)| ServerMessage::View {
                event,
                game,
                seat,
                ply,
                to_move,
                view
            }
        ),
        (m(), m(), option(n()), option(n())).prop_map(|(game, ply, left_ms, budget_ms)| {
            ServerMessage::Request {
                game,
                ply,
                left_ms,
                budget_ms,
            }
        }),
        (n(), m(), m(), s(), text(), n(), option(n())).prop_map(
            |(event, game, ply, seat, mv, used_ms, budget_ms)| ServerMessage::Moved {
                event,
                game,
                ply,
                seat,
                mv,
                used_ms,
                budget_ms
            }
        ),
        (n(), m(), s(), text(), option(text())).prop_map(|(event, game, seat, end, reason)| {
            ServerMessage::Out {
                event,
                game,
                seat,
                end,
                reason,
            }
        }),
        (n(), s(), any::<bool>()).prop_map(|(event, player, here)| ServerMessage::Presence {
            event,
            player,
            here
        }),
        (m(), m(), proptest::collection::vec(text(), 0..6))
            .prop_map(|(game, ply, moves)| ServerMessage::Legal { game, ply, moves }),
        (
            n(),
            m(),
            seats(),
            scores(),
            text(),
            option(s()),
            proptest::collection::vec(text(), 0..4),
            proptest::collection::vec(any::<i32>(), 0..4),
            option(text())
        )
            .prop_map(
                |(event, game, places, scores, end, by, ends, game_points, reason)| {
                    ServerMessage::Result {
                        event,
                        game,
                        places,
                        scores,
                        end,
                        by,
                        ends,
                        game_points,
                        reason,
                    }
                }
            ),
        (n(), m(), scores(), option(text())).prop_map(|(event, games, scores, reason)| {
            ServerMessage::Over {
                event,
                games,
                scores,
                reason,
            }
        }),
        (
            0..ErrorCode::ALL.len(),
            text(),
            option(proptest::collection::vec(m(), 0..3))
        )
            .prop_map(|(code, message, versions)| ServerMessage::Error {
                code: ErrorCode::ALL[code],
                message,
                versions,
            }),
    ]
}
