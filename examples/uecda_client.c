/*
 * A complete client of UECda (Daihinmin, 大貧民) in C99 with POSIX sockets.
 *
 *     cc -std=c99 -Wall -o uecda_client uecda_client.c
 *     ./uecda_client [HOST [PORT [NAME]]]
 *
 * It plays a whole match. The functions choose() and choose_gift() decide: write your own there.
 * protocol/UECDA.md describes the protocol.
 */
#define _POSIX_C_SOURCE 200112L
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/*
 * A table is 8 rows of 15 integers of 32 bits, big endian: 480 bytes. Rows 0 to 3 are spades, hearts, diamonds and
 * clubs, columns 1 to 13 are 3, 4, ..., K, A, 2. A cell is 1 for a card and 2 for the joker. The joker of a hand and
 * of an exchange is in [4][1].
 */
enum { ROWS = 8, COLUMNS = 15, SUITS = 4, CARD = 1, JOKER = 2 };
typedef int Table[ROWS][COLUMNS];

static void fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

/* Reads until `size` bytes are there: one recv may bring a part of a message, or several messages. */
static void read_all(int server, void *data, size_t size) {
    char *at = data;
    while (size > 0) {
        ssize_t n = recv(server, at, size, 0);
        if (n <= 0) fail("the server has closed the connection: perhaps it has five players already");
        at += n;
        size -= (size_t)n;
    }
}

static int read_int(int server) {
    uint32_t value;
    read_all(server, &value, sizeof value);
    return (int)ntohl(value);
}

static void read_table(int server, Table table) {
    uint32_t cells[ROWS][COLUMNS];
    read_all(server, cells, sizeof cells);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) table[row][column] = (int)ntohl(cells[row][column]);
}

/* Sends a table with one call: other programs read it with one call. */
static void send_table(int server, Table table) {
    uint32_t cells[ROWS][COLUMNS];
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) cells[row][column] = htonl((uint32_t)table[row][column]);
    const char *at = (const char *)cells;
    size_t left = sizeof cells;
    while (left > 0) {
        ssize_t n = send(server, at, left, 0);
        if (n <= 0) fail("the server has closed the connection");
        at += n;
        left -= (size_t)n;
    }
}

/* The cards of one rank that a hand has. */
static int cards_in_column(Table hand, int column) {
    int count = 0;
    for (int row = 0; row < SUITS; row++) count += hand[row][column] == CARD;
    return count;
}

/* Leads a trick with all cards of the weakest rank. */
static void lead(Table hand, int revolution, Table meld) {
    for (int i = 1; i <= 13; i++) {
        int column = revolution ? 14 - i : i;
        if (cards_in_column(hand, column) == 0) continue;
        for (int row = 0; row < SUITS; row++) meld[row][column] = hand[row][column];
        return;
    }
    meld[0][14] = JOKER; /* The joker alone: any one cell of rows 0 to 3 will do. */
}

/*
 * Decides a move: writes it into `meld`, which is empty; an empty meld is a pass.
 *
 * hand: a hand table of the server; field: rows 0 to 4 have the meld to beat, nothing if this player leads a trick.
 * The server takes an illegal meld for a pass. This player beats a meld with the weakest one that can.
 */
static void choose(Table hand, Table field, Table meld) {
    int revolution = hand[5][6]; /* whether low cards beat high ones */
    int lock = hand[5][7];       /* whether only the suits of the field may be played */

    int count = 0, lowest = 0, highest = 0, is_lone_joker = 0;
    int suits[5] = {0};
    for (int column = 0; column < COLUMNS; column++)
        for (int row = 0; row < 5; row++)
            if (field[row][column] != 0) {
                if (count++ == 0) lowest = column;
                highest = column;
                suits[row] = 1;
                is_lone_joker = count == 1 && field[row][column] == JOKER;
            }

    if (count == 0) {
        lead(hand, revolution, meld);
        return;
    }
    if (is_lone_joker) { /* Only the spade 3 beats it. */
        meld[0][1] = hand[0][1];
        return;
    }
    for (int i = 1; i <= 13; i++) { /* From the weakest to the strongest. */
        int column = revolution ? 14 - i : i;
        if (lowest != highest) { /* A sequence: its cards are in one row and do not overlap with those on the field. */
            int last = column + count - 1;
            if (last > 13 || (revolution ? last >= lowest : column <= highest)) continue;
            for (int row = 0; row < SUITS; row++) {
                int held = 0;
                for (int c = column; c <= last; c++) held += hand[row][c] == CARD;
                if (held < count || (lock && !suits[row])) continue;
                for (int c = column; c <= last; c++) meld[row][c] = CARD;
                return;
            }
        } else { /* A single card or a group: its cards are in one column. */
            int usable = 0;
            for (int row = 0; row < SUITS; row++) usable += hand[row][column] == CARD && (!lock || suits[row]);
            if (usable < count || (revolution ? column >= lowest : column <= lowest)) continue;
            for (int row = 0, left = count; row < SUITS && left > 0; row++)
                if (hand[row][column] == CARD && (!lock || suits[row])) {
                    meld[row][column] = CARD;
                    left--;
                }
            return;
        }
    }
    if (count == 1 && hand[4][1] == JOKER) meld[0][14] = JOKER;
}

/* Decides which cards the daifugo (2) or the fugo (1) gives away: here its weakest. */
static void choose_gift(Table hand, int count, Table gift) {
    for (int column = 1; column <= 13; column++)
        for (int row = 0; row < SUITS; row++)
            if (hand[row][column] == CARD && count > 0) {
                gift[row][column] = CARD;
                count--;
            }
}

/* Connects. The server may not listen yet: then this tries again for ten seconds. */
static int connect_to(const char *host, const char *port) {
    struct addrinfo hints, *addresses;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, port, &hints, &addresses) != 0) fail("there is no such host");
    int refused = 1;
    for (int attempt = 0; attempt < 500 && refused; attempt++) {
        refused = 0;
        for (struct addrinfo *a = addresses; a != NULL; a = a->ai_next) {
            int server = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
            if (server < 0) continue;
            if (connect(server, a->ai_addr, a->ai_addrlen) == 0) {
                int yes = 1;
                setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
                freeaddrinfo(addresses);
                return server;
            }
            refused |= errno == ECONNREFUSED;
            close(server);
        }
        struct timespec pause = {0, 20000000};
        if (refused) nanosleep(&pause, NULL);
    }
    fail("no server listens there");
    return -1;
}

int main(int argc, char **argv) {
    const char *host = argc > 1 ? argv[1] : "localhost";
    const char *port = argc > 2 ? argv[2] : "42485";
    const char *name = argc > 3 ? argv[3] : "c";
    int server = connect_to(host, port);

    /* The profile: the version of the protocol, and the name, one ASCII code in each cell of row 1. */
    Table profile = {{20070}};
    for (int i = 0; i < 14 && name[i] != '\0'; i++) profile[1][i] = (unsigned char)name[i];
    send_table(server, profile);
    printf("player %d\n", read_int(server)); /* It comes at once; the first deal waits for five players. */
    fflush(stdout);

    int games = 0;
    int end = 0; /* 0: the game goes on, 1: it is over, 2: the match is over. */
    while (end != 2) {
        Table deal;
        read_table(server, deal);
        if (deal[5][1] > 0) { /* This player is daifugo (2 cards) or fugo (1 card). */
            Table gift = {{0}};
            choose_gift(deal, deal[5][1], gift);
            send_table(server, gift);
        }
        Table field = {{0}};
        do {
            Table hand;
            read_table(server, hand);
            if (hand[5][2] == 1) { /* It is this player's turn. */
                Table nothing = {{0}}, meld = {{0}};
                choose(hand, hand[5][4] == 1 ? nothing : field, meld);
                send_table(server, meld);
                read_int(server); /* 9: accepted; 8: refused, or a pass on a field with cards. */
            }
            read_table(server, field);
            end = read_int(server);
        } while (end == 0);
        games++;
    }
    printf("%d games\n", games);
    close(server);
    return 0;
}
