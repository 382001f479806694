package dev.stagesim.feature.mock;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection: bytes in, answers out. What the socket does not take at once waits in memory.
 *
 * <p>A client that sends ahead of its answers, or does not read them, is not read from until they are gone, so that what
 * waits is at most a request, an answer and a little more.
 */
final class Connection {
    /** Bytes of requests behind the one that is being answered. */
    private static final int MOST_AHEAD = 1 << 16;

    /** Bytes of answers that the client has not read, before the next request is answered. */
    private static final int MOST_UNREAD = 1 << 20;

    /** Other connections have their turn after so many reads. */
    private static final int READS_A_TURN = 16;

    private static final byte[] CRLF = {'\r', '\n'};

    private final SocketChannel socket;
    private final HttpParser parser = new HttpParser();
    private byte[] out = new byte[1024];
    private int outFrom;
    private int outTo;
    private boolean closing;
    private boolean chunked;
    private boolean keepsAlive = true;
    private boolean continued;
    private long incompleteSinceNs = -1;

    /** Bytes of memory that the server has counted for it. */
    int counted;

    /** The answer that is under way; requests behind it wait. */
    @Nullable
    Answer answer;

    /** Where it is watched from. */
    @Nullable
    SelectionKey key;

    /** Whether it is in the list of those that have something to write. */
    boolean touched;

    Connection(SocketChannel socket) {
        this.socket = socket;
    }

    SelectionKey key() {
        return java.util.Objects.requireNonNull(key);
    }

    /** Reads what has come; false when the client has gone. */
    boolean read(ByteBuffer room) throws IOException {
        for (int i = 0; i < READS_A_TURN && isRead(); i++) {
            room.clear();
            int count = socket.read(room);
            if (count <= 0) {
                return count == 0;
            }
            room.flip();
            parser.add(room);
        }
        return true;
    }

    private boolean isRead() {
        return !closing && ((answer == null && !isUnread()) || parser.waiting() < MOST_AHEAD);
    }

    private boolean isUnread() {
        return outTo - outFrom > MOST_UNREAD;
    }

    /** Returns the bytes of memory that incoming requests occupy. */
    int occupied() {
        return parser.occupied();
    }

    /** Returns the time since which a request is incomplete, or -1 if none is. */
    long incompleteSinceNs(long nowNs) {
        boolean isIncomplete = answer == null && !closing && parser.isPartial();
        incompleteSinceNs = !isIncomplete ? -1 : incompleteSinceNs < 0 ? nowNs : incompleteSinceNs;
        return incompleteSinceNs;
    }

    /** Gives up the request that is incomplete; the connection closes after the answer to it. */
    void giveUp() {
        parser.clear();
        closeAfterAnswer();
    }

    /** Bytes held for the client, both ways. */
    int held() {
        return parser.waiting() + outTo - outFrom;
    }

    /** Refuses requests by their heads. */
    @FunctionalInterface
    interface Admission {
        void check(HttpRequest head) throws Refusal;
    }

    /** Returns the next request, unless the answer to the previous one is in progress. Checks a head before its body has come. */
    Optional<HttpRequest> next(Admission admission) throws Refusal {
        if (answer != null || closing || isUnread()) {
            return Optional.empty();
        }
        Optional<HttpRequest> request = parser.next();
        if (request.isPresent()) {
            continued = false;
            keepsAlive = request.get().keepsAlive();
            return request;
        }
        Optional<HttpRequest> head = parser.head();
        if (head.isPresent()) {
            admission.check(head.get());
        }
        if (parser.wantsContinue() && !continued) {
            continued = true;
            put("HTTP/1.1 100 Continue\r\n\r\n");
        }
        return request;
    }

    /** Writes a whole answer. */
    void respond(int status, String type, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        put("HTTP/1.1 " + status + " " + reason(status) + "\r\nContent-Type: " + type + "\r\nContent-Length: "
                + bytes.length + "\r\n" + (keepsAlive ? "" : "Connection: close\r\n") + "\r\n");
        put(bytes, bytes.length);
        ended();
    }

    /** Begins an event stream. */
    void beginStream(boolean version11) {
        chunked = version11;
        keepsAlive &= version11;
        put("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\n"
                + (version11 ? "Transfer-Encoding: chunked\r\n" : "")
                + (keepsAlive ? "" : "Connection: close\r\n") + "\r\n");
    }

    /** Writes an event, or several that belong together. */
    void event(byte[] bytes, int length) {
        if (chunked) {
            put(Integer.toHexString(length) + "\r\n");
            put(bytes, length);
            put(CRLF, CRLF.length);
        } else {
            put(bytes, length);
        }
    }

    void endStream() {
        if (chunked) {
            put("0\r\n\r\n");
        }
        ended();
    }

    private void ended() {
        answer = null;
        closing |= !keepsAlive;
    }

    /** Closes after an answer to something that cannot be read on from. */
    void closeAfterAnswer() {
        keepsAlive = false;
    }

    private void put(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        put(bytes, bytes.length);
    }

    private void put(byte[] bytes, int length) {
        if (outTo + length > out.length) {
            int waiting = outTo - outFrom;
            byte[] room = waiting + length > out.length ? new byte[Math.max(2 * out.length, waiting + length)] : out;
            System.arraycopy(out, outFrom, room, 0, waiting);
            out = room;
            outFrom = 0;
            outTo = waiting;
        }
        System.arraycopy(bytes, 0, out, outTo, length);
        outTo += length;
    }

    /** Writes what waits, as far as the socket takes it; false when the connection is over. */
    boolean flush() throws IOException {
        if (outFrom < outTo) {
            outFrom += socket.write(ByteBuffer.wrap(out, outFrom, outTo - outFrom));
        }
        boolean done = outFrom == outTo;
        if (done) {
            outFrom = 0;
            outTo = 0;
            out = out.length > 1 << 20 ? Arrays.copyOf(out, 1024) : out;
        }
        key().interestOps((isRead() ? SelectionKey.OP_READ : 0) | (done ? 0 : SelectionKey.OP_WRITE));
        return !(done && closing);
    }

    private static String reason(int status) {
        return switch (status) {
            case 200 -> "OK";
            case 401 -> "Unauthorized";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 408 -> "Request Timeout";
            case 413 -> "Payload Too Large";
            case 429 -> "Too Many Requests";
            case 431 -> "Request Header Fields Too Large";
            case 503 -> "Service Unavailable";
            default -> status < 500 ? "Bad Request" : "Internal Server Error";
        };
    }
}
