#!/usr/bin/env node
// A complete client of the native protocol, for any of its games, that needs nothing but Node.js.
//
//     node native_client.js [HOST [PORT [NAME]]]
//
// It plays a whole match with random legal moves, which it asks the server for. The function `choose` decides every
// move: write your own there. protocol/NATIVE.md describes the protocol.
"use strict";

const net = require("node:net");
const readline = require("node:readline");

/**
 * Decides a move.
 * @param {number} seat the own one, from 0
 * @param {object} view the position at the beginning of the game, as this seat may know it
 * @param {[number, string][]} history the moves since then, each with its seat
 * @param {string[]} moves the legal moves now
 * @returns {string} one of them
 */
function choose(seat, view, history, moves) {
    return moves[Math.floor(Math.random() * moves.length)];
}

const USAGE = "node native_client.js [HOST [PORT [NAME]]]: plays a match of the native protocol with random legal moves";
const [host = "localhost", port = "4444", name = "javascript"] = process.argv.slice(2);
let server;

/** Ends the program: 2 the command line, 3 no connection or no seat, 4 the connection was lost. */
function fail(code, reason) {
    console.error(reason);
    process.exit(code);
}

/** Connects. The server may not listen yet: then this tries again for ten seconds. */
function connect(attempt = 0) {
    const next = net.connect({ host, port: Number(port), noDelay: true });
    next.on("connect", () => {
        server = next;
        send({ type: "hello", versions: [1], name });
        readline
            .createInterface({ input: server })
            .on("line", (line) => receive(read(line)))
            .on("error", () => {}) // The same error as that of the socket.
            .on("close", () => {
                if (player === undefined) fail(3, "the server has closed the connection: there is no seat");
                if (!isOver) fail(4, "the server has closed the connection before the end of the match");
                server.end();
            });
    });
    next.on("error", (error) => {
        if (isOver) return;
        // An error of several addresses has no message.
        const reason = error.message || error.code;
        if (server) fail(4, `the connection was lost: ${reason}`);
        if (error.code !== "ECONNREFUSED" || attempt === 500) fail(3, `no server at ${host}:${port}: ${reason}`);
        if (attempt === 15) console.error(`waiting for ${host}:${port} ...`);
        setTimeout(connect, 20, attempt + 1);
    });
}

function read(line) {
    try {
        return JSON.parse(line);
    } catch {
        return fail(3, `the server at ${host}:${port} speaks another protocol`);
    }
}

function send(message) {
    server.write(JSON.stringify(message) + "\n");
}

let player;
let seat;
let view;
let history = [];
let isOver = false;

function receive(message) {
    switch (message.type) {
        case "welcome":
            player = message.player;
            break;
        case "view":
            ({ seat, view } = message);
            history = [];
            break;
        case "moved":
            history.push([message.seat, message.move]);
            break;
        case "request": // It is this player's turn. A client that knows the rules answers with a move at once.
            send({ type: "legal" });
            break;
        case "legal":
            if (message.moves.length > 0) { // It is empty if the turn is over by now.
                const move = choose(seat, view, history, message.moves);
                send({ type: "move", game: message.game, ply: message.ply, move });
            }
            break;
        case "result": {
            const own = message.scores[seat];
            const others = message.scores.filter((_, other) => other !== seat);
            const best = Math.max(...others);
            const word = own > best ? "won" : own < best ? "lost" : "drawn";
            console.log(`game ${message.game}: ${word} (${message.end}), ${own} to ${others.join(", ")}`);
            break;
        }
        case "error":
            console.error("the server:", message.message);
            break;
        case "over":
            console.log(`${name} has ${message.scores[player]} points in ${message.games} games`);
            if (message.reason) fail(4, `the match has ended early: ${message.reason}`);
            isOver = true;
            break;
        default: // Clocks, and types of later versions.
    }
}

if (process.argv.slice(2).some((word) => word === "-h" || word === "--help")) {
    console.log(USAGE);
} else if (!/^\d+$/.test(port) || Number(port) > 65535) {
    fail(2, "the second argument is the port, a number up to 65535");
} else {
    connect();
}
