import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * A complete client of GAT (Geister, ガイスター) that needs nothing but Java 11 or later.
 *
 * <pre>
 *     java GatClient.java [HOST [PORT [GAMES]]]
 * </pre>
 *
 * The port is the player: 10000 the first, 10001 the second. The method choose decides every move: write your own
 * there. protocol/GAT.md describes the protocol.
 */
public class GatClient {
    static final Random RANDOM = new Random();

    /**
     * A ghost of a board. x goes from 0 at the left to 5, y from 0 at the far side to 5 at one's own side, also for the
     * second player. Colours: R, B one's own; u unknown; r, b captured (at 9, 9) or shown at the end; an escaped ghost
     * is at 8, 8.
     */
    static class Ghost {
        char letter;
        int x;
        int y;
        char colour;

        boolean isOnBoard() {
            return x < 6;
        }
    }

    /** Reads the 48 characters of a board: sixteen times x, y and colour. A to H are one's own, a to h the other's. */
    static List<Ghost> ghosts(String board) {
        List<Ghost> ghosts = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            Ghost ghost = new Ghost();
            ghost.letter = "ABCDEFGHabcdefgh".charAt(i);
            ghost.x = board.charAt(3 * i) - '0';
            ghost.y = board.charAt(3 * i + 1) - '0';
            ghost.colour = board.charAt(3 * i + 2);
            ghosts.add(ghost);
        }
        return ghosts;
    }

    /** Decides a move, such as "A,N". This player escapes if it can; else it moves at random. */
    static String choose(List<Ghost> ghosts) {
        List<Ghost> own = ghosts.subList(0, 8);
        List<String> moves = new ArrayList<>();
        for (Ghost ghost : own) {
            if (!ghost.isOnBoard()) {
                continue;
            }
            // A blue ghost leaves the board from a corner of the far side.
            if (ghost.colour == 'B' && ghost.y == 0 && (ghost.x == 0 || ghost.x == 5)) {
                return ghost.letter + ",N";
            }
            int[][] steps = {{0, -1}, {1, 0}, {-1, 0}, {0, 1}};
            for (int i = 0; i < steps.length; i++) {
                int x = ghost.x + steps[i][0];
                int y = ghost.y + steps[i][1];
                boolean isOwn = own.stream().anyMatch(other -> other.x == x && other.y == y);
                if (x >= 0 && x < 6 && y >= 0 && y < 6 && !isOwn) {
                    moves.add(ghost.letter + "," + "NEWS".charAt(i));
                }
            }
        }
        return moves.get(RANDOM.nextInt(moves.size()));
    }

    /** Draws the letters of the four red ghosts; the others are blue. */
    static String chooseReds() {
        List<String> letters = new ArrayList<>(List.of("A", "B", "C", "D", "E", "F", "G", "H"));
        Collections.shuffle(letters, RANDOM);
        return String.join("", letters.subList(0, 4));
    }

    /** Connects for one game. Some servers close their port between games: then this tries again. */
    static Socket connect(String host, int port) throws IOException, InterruptedException {
        for (int attempt = 0; attempt < 500; attempt++) {
            try {
                return new Socket(host, port);
            } catch (ConnectException e) {
                if (attempt == 15) System.err.println("waiting for " + host + ":" + port + " ...");
                Thread.sleep(20);
            }
        }
        throw new IOException("no server listens at " + host + ":" + port);
    }

    /** Plays one game, on a connection of its own; gives WON, LST or DRW. */
    static String play(String host, int port) throws IOException, InterruptedException {
        try (Socket server = connect(host, port)) {
            server.setTcpNoDelay(true);
            OutputStream out = server.getOutputStream();
            // Every line ends with CR LF. One read may bring two lines or half a line; readLine cuts them.
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.US_ASCII));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String answer;
                if (line.startsWith("SET?")) {
                    answer = "SET:" + chooseReds();
                } else if (line.startsWith("MOV?")) {
                    answer = "MOV:" + choose(ghosts(line.substring(4)));
                } else if (line.startsWith("WON:") || line.startsWith("LST:") || line.startsWith("DRW:")) {
                    return line.substring(0, 3); // The client closes first; the next game is a new connection.
                } else {
                    continue; // OK, OKR, OKB: done; NG: refused, and the result follows.
                }
                out.write((answer + "\r\n").getBytes(StandardCharsets.US_ASCII));
            }
        }
        throw new IOException("the server has closed the connection before the end of the game");
    }

    public static void main(String[] arguments) throws InterruptedException {
        String host = arguments.length > 0 ? arguments[0] : "localhost";
        int port = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 10000;
        int games = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 1;
        try {
            for (int game = 1; game <= games; game++) {
                System.out.println("game " + game + " " + play(host, port));
            }
        } catch (IOException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
