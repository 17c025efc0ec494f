import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.ByteBuffer;

/**
 * A complete client of UECda (Daihinmin, 大貧民) that needs nothing but Java 11 or later.
 *
 * <pre>
 *     java UecdaClient.java [HOST [PORT [NAME]]]
 * </pre>
 *
 * It plays a whole match. The methods choose and chooseGift decide: write your own there. protocol/UECDA.md describes
 * the protocol.
 */
public class UecdaClient {
    // A table is 8 rows of 15 integers of 32 bits, big endian: 480 bytes. Rows 0 to 3 are spades, hearts, diamonds and
    // clubs, columns 1 to 13 are 3, 4, ..., K, A, 2. A cell is 1 for a card and 2 for the joker. The joker of a hand
    // and of an exchange is in [4][1].
    static final int ROWS = 8;
    static final int COLUMNS = 15;
    static final int SUITS = 4;
    static final int CARD = 1;
    static final int JOKER = 2;

    final Socket socket;
    final DataInputStream in;
    final OutputStream out;

    UecdaClient(String host, int port) throws IOException {
        socket = new Socket(host, port);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /** readFully waits for the whole table: one read may bring a part of a message, or several messages. */
    int[][] readTable() throws IOException {
        byte[] bytes = new byte[ROWS * COLUMNS * 4];
        in.readFully(bytes);
        ByteBuffer buffer = ByteBuffer.wrap(bytes); // Big endian, as the protocol wants it.
        int[][] table = new int[ROWS][COLUMNS];
        for (int[] row : table) {
            for (int column = 0; column < COLUMNS; column++) {
                row[column] = buffer.getInt();
            }
        }
        return table;
    }

    /** Sends a table with one call: other programs read it with one call. */
    void send(int[][] table) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(ROWS * COLUMNS * 4);
        for (int[] row : table) {
            for (int cell : row) {
                buffer.putInt(cell);
            }
        }
        out.write(buffer.array());
    }

    /** Leads a trick with all cards of the weakest rank. */
    static int[][] lead(int[][] hand, boolean revolution) {
        int[][] meld = new int[ROWS][COLUMNS];
        for (int i = 1; i <= 13; i++) {
            int column = revolution ? 14 - i : i;
            boolean found = false;
            for (int row = 0; row < SUITS; row++) {
                meld[row][column] = hand[row][column];
                found |= hand[row][column] == CARD;
            }
            if (found) {
                return meld;
            }
        }
        meld[0][14] = JOKER; // The joker alone: any one cell of rows 0 to 3 will do.
        return meld;
    }

    /**
     * Decides a move; an empty table is a pass. The server takes an illegal meld for a pass. This player beats a meld
     * with the weakest one that can.
     *
     * @param hand a hand table of the server
     * @param field rows 0 to 4 have the meld to beat, nothing if this player leads a trick
     */
    static int[][] choose(int[][] hand, int[][] field) {
        boolean revolution = hand[5][6] == 1; // whether low cards beat high ones
        boolean lock = hand[5][7] == 1; // whether only the suits of the field may be played

        int count = 0;
        int lowest = 0;
        int highest = 0;
        boolean loneJoker = false;
        boolean[] suits = new boolean[5];
        for (int column = 0; column < COLUMNS; column++) {
            for (int row = 0; row < 5; row++) {
                if (field[row][column] != 0) {
                    lowest = count == 0 ? column : lowest;
                    highest = column;
                    suits[row] = true;
                    count++;
                    loneJoker = count == 1 && field[row][column] == JOKER;
                }
            }
        }

        if (count == 0) {
            return lead(hand, revolution);
        }
        int[][] meld = new int[ROWS][COLUMNS];
        if (loneJoker) { // Only the spade 3 beats it.
            meld[0][1] = hand[0][1];
            return meld;
        }
        for (int i = 1; i <= 13; i++) { // From the weakest to the strongest.
            int column = revolution ? 14 - i : i;
            if (lowest != highest) { // A sequence: its cards are in one row and do not overlap with those on the field.
                int last = column + count - 1;
                if (last > 13 || (revolution ? last >= lowest : column <= highest)) {
                    continue;
                }
                for (int row = 0; row < SUITS; row++) {
                    boolean held = !lock || suits[row];
                    for (int c = column; c <= last; c++) {
                        held &= hand[row][c] == CARD;
                    }
                    if (held) {
                        for (int c = column; c <= last; c++) {
                            meld[row][c] = CARD;
                        }
                        return meld;
                    }
                }
            } else if (revolution ? column < lowest : column > lowest) { // A single card or a group, in one column.
                int found = 0;
                int[][] group = new int[ROWS][COLUMNS];
                for (int row = 0; row < SUITS && found < count; row++) {
                    if (hand[row][column] == CARD && (!lock || suits[row])) {
                        group[row][column] = CARD;
                        found++;
                    }
                }
                if (found == count) {
                    return group;
                }
            }
        }
        if (count == 1 && hand[4][1] == JOKER) {
            meld[0][14] = JOKER;
        }
        return meld;
    }

    /** Decides which cards the daifugo (2) or the fugo (1) gives away: here its weakest. */
    static int[][] chooseGift(int[][] hand, int count) {
        int[][] gift = new int[ROWS][COLUMNS];
        for (int column = 1; column <= 13; column++) {
            for (int row = 0; row < SUITS && count > 0; row++) {
                if (hand[row][column] == CARD) {
                    gift[row][column] = CARD;
                    count--;
                }
            }
        }
        return gift;
    }

    void play(String name) throws IOException {
        // The profile: the version of the protocol, and the name, one ASCII code in each cell of row 1.
        int[][] profile = new int[ROWS][COLUMNS];
        profile[0][0] = 20070;
        for (int i = 0; i < Math.min(name.length(), 14); i++) {
            profile[1][i] = name.charAt(i);
        }
        send(profile);
        System.out.println("player " + in.readInt()); // It comes at once; the first deal waits for five players.

        int games = 0;
        int end = 0; // 0: the game goes on, 1: it is over, 2: the match is over.
        while (end != 2) {
            int[][] deal = readTable();
            if (deal[5][1] > 0) { // This player is daifugo (2 cards) or fugo (1 card).
                send(chooseGift(deal, deal[5][1]));
            }
            int[][] field = new int[ROWS][COLUMNS];
            do {
                int[][] hand = readTable();
                if (hand[5][2] == 1) { // It is this player's turn.
                    send(choose(hand, hand[5][4] == 1 ? new int[ROWS][COLUMNS] : field));
                    in.readInt(); // 9: accepted; 8: refused, or a pass on a field with cards.
                }
                field = readTable();
                end = in.readInt();
            } while (end == 0);
            games++;
        }
        System.out.println(games + " games");
    }

    public static void main(String[] arguments) throws IOException {
        String host = arguments.length > 0 ? arguments[0] : "localhost";
        int port = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 42485;
        String name = arguments.length > 2 ? arguments[2] : "java";
        try {
            UecdaClient client = new UecdaClient(host, port);
            client.play(name);
            client.socket.close();
        } catch (ConnectException e) {
            System.err.println("no server listens at " + host + ":" + port);
            System.exit(1);
        } catch (EOFException e) {
            System.err.println("the server has closed the connection: perhaps it has five players already");
            System.exit(1);
        }
    }
}
