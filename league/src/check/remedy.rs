//! What to do about what was seen.

use games::GameName;
use record::EndKind;

pub(super) const fn greeting(game: GameName) -> &'static str {
    match game {
        GameName::Daihinmin => {
            "a client of UECda sends its profile first: 480 bytes, 120 numbers of 4 bytes, the highest byte first, \
             then reads its player number (4 bytes)"
        }
        GameName::Geister => {
            "a client of GAT waits for `SET?` and answers `SET:ABCD` with the columns of its red pieces, both lines \
             ended by CR LF"
        }
        GameName::Blokus | GameName::ScoreFour | GameName::Dobutsu => {
            "the first line is {\"type\":\"hello\",\"versions\":[1],\"name\":\"...\"} and a line feed \
             (protocol/NATIVE.md); an engine that speaks GTP is checked with --gtp"
        }
    }
}

/// About bytes that come in other pieces than they were sent in.
pub(super) const fn packets(game: GameName, glued: bool) -> &'static str {
    match (game, glued) {
        (GameName::Daihinmin, false) => {
            "it plays where the server's messages arrive whole, as the official clients do; behind a relay, a tunnel or \
             Wi-Fi it may be lost: read on until all 480 bytes of a table, or all 4 of a number, are there"
        }
        (GameName::Daihinmin, true) => {
            "TCP is a stream: take 480 or 4 bytes from what has come, and keep the rest for the next message"
        }
        (GameName::Geister, false) => {
            "each message comes as a packet of its own, which serves it. But TCP is a stream: collect bytes until a line \
             ends, however many reads that takes"
        }
        (GameName::Geister, true) => {
            "the pause of 100 ms between messages of servers and leagues serves it; where `wait-ms` is less it loses. TCP \
             is a stream: one read may bring many lines: take them one by one, and keep the rest"
        }
        (_, false) => {
            "TCP is a stream: collect bytes until a line ends, however many reads that takes"
        }
        (_, true) => {
            "TCP is a stream: one read may bring many lines: take them one by one, and keep the rest"
        }
    }
}

/// About a seat in which no game goes well.
pub(super) const fn seat(game: GameName) -> &'static str {
    match game {
        GameName::Geister => {
            "if another check names the cause of these faults, begin there; it may take its port for its seat, as clients of \
             GAT do: `taikyoku serve geister` serves it, where the first port moves first unless --swap is given. In a league \
             it sits in both seats at one port: see from the first board whether the opponent has moved"
        }
        _ => {
            "if another check names the cause of these faults, begin there; the program sits in every seat in turn: read its \
             seat from the server's messages for each game"
        }
    }
}

pub(super) const fn fault(kind: EndKind, game: GameName) -> &'static str {
    match (kind, game) {
        (EndKind::Illegal, GameName::Daihinmin) => {
            "a move that the rules forbid counts as a pass: compare the table that the server sent with docs/daihinmin.md"
        }
        (EndKind::Illegal, _) => {
            "a move that the rules forbid loses the game: compare the position with the rules in docs/"
        }
        (EndKind::Timeout, _) => {
            "answer within the limit (--move-ms); measure from the moment at which the bytes of the server arrive"
        }
        (EndKind::Stall, _) => {
            "it never answered: look whether it waits for more than the server sends"
        }
        (EndKind::Disconnect | EndKind::Crash, _) => {
            "it closed its connection, or ended, before the match was over: its standard error may tell why"
        }
        (EndKind::ProtocolError, GameName::Daihinmin) => {
            "the table that it sends has numbers that no table has: 120 numbers of 4 bytes, the highest byte first"
        }
        (EndKind::ProtocolError, _) => {
            "what it sends is no message of the protocol: write nothing but messages to the socket, each with its end"
        }
        _ => "look at its standard error and at the messages that it gets",
    }
}
