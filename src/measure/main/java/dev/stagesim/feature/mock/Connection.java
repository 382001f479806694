package dev.stagesim.feature.mock;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a client. Parses requests and buffers responses until the socket accepts them.
 *
 * <p>The buffers are bounded: nothing is read from a client that has sent too many requests in advance, or that does not read its
 * responses.
 */
final class Connection {
    /** Maximum bytes of further requests that are read during a response. */
    private static final int MAX_PIPELINED_BYTES = 1 << 16;

    /** Maximum bytes of unsent responses; the next request waits while there are more. */
    private static final int MAX_UNSENT_BYTES = 1 << 20;

    /** Number of reads before other connections are served. */
    private static final int READS_PER_TURN = 16;

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

    /** Bytes of memory that the server accounts to this connection. */
    int counted;

    /** The response in progress, or null. */
    @Nullable
    CompletionResponse response;

    @Nullable
    SelectionKey key;

    /** True if this connection is in {@link MockService#touched}. */
    boolean touched;

    Connection(SocketChannel socket) {
        this.socket = socket;
    }

    SelectionKey key() {
        return Objects.requireNonNull(key);
    }

    /** Reads the available bytes. Returns false if the client has closed the connection. */
    boolean read(ByteBuffer buffer) throws IOException {
        for (int i = 0; i < READS_PER_TURN && isReading(); i++) {
            buffer.clear();
            int count = socket.read(buffer);
            if (count <= 0) {
                return count == 0;
            }
            buffer.flip();
            parser.add(buffer);
        }
        return true;
    }

    private boolean isReading() {
        return !closing && ((response == null && !isCongested()) || parser.unparsedBytes() < MAX_PIPELINED_BYTES);
    }

    private boolean isCongested() {
        return outTo - outFrom > MAX_UNSENT_BYTES;
    }

    /** Returns the bytes of memory for incoming requests. */
    int allocatedBytes() {
        return parser.allocatedBytes();
    }

    /** Returns the time since which a request is incomplete, or -1 if there is no incomplete request. */
    long incompleteSinceNs(long nowNs) {
        boolean isIncomplete = response == null && !closing && parser.isPartial();
        incompleteSinceNs = !isIncomplete ? -1 : incompleteSinceNs < 0 ? nowNs : incompleteSinceNs;
        return incompleteSinceNs;
    }

    /** Discards the incomplete request. The connection closes after the next response. */
    void discardRequest() {
        parser.clear();
        closeAfterResponse();
    }

    /** Returns the number of unparsed and unsent bytes. */
    int bufferedBytes() {
        return parser.unparsedBytes() + outTo - outFrom;
    }

    /** Rejects a request based on its head. */
    @FunctionalInterface
    interface HeadCheck {
        void check(HttpRequest head) throws ApiError;
    }

    /** Returns the next request, unless a response is in progress. Checks the head before the body is complete. */
    Optional<HttpRequest> next(HeadCheck headCheck) throws ApiError {
        if (response != null || closing || isCongested()) {
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
            headCheck.check(head.get());
        }
        if (parser.wantsContinue() && !continued) {
            continued = true;
            put("HTTP/1.1 100 Continue\r\n\r\n");
        }
        return request;
    }

    /** Writes a complete response. */
    void respond(int status, String type, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        put("HTTP/1.1 " + status + " " + reason(status) + "\r\nContent-Type: " + type + "\r\nContent-Length: "
                + bytes.length + "\r\n" + (keepsAlive ? "" : "Connection: close\r\n") + "\r\n");
        put(bytes, bytes.length);
        endResponse();
    }

    /** Starts an event stream. */
    void beginStream(boolean version11) {
        chunked = version11;
        keepsAlive &= version11;
        put("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\n"
                + (version11 ? "Transfer-Encoding: chunked\r\n" : "")
                + (keepsAlive ? "" : "Connection: close\r\n") + "\r\n");
    }

    /** Writes one or more events as one chunk. */
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
        endResponse();
    }

    private void endResponse() {
        response = null;
        closing |= !keepsAlive;
    }

    /** Closes the connection after the next response. */
    void closeAfterResponse() {
        keepsAlive = false;
    }

    private void put(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        put(bytes, bytes.length);
    }

    private void put(byte[] bytes, int length) {
        if (outTo + length > out.length) {
            int unsent = outTo - outFrom;
            byte[] grown = unsent + length > out.length ? new byte[Math.max(2 * out.length, unsent + length)] : out;
            System.arraycopy(out, outFrom, grown, 0, unsent);
            out = grown;
            outFrom = 0;
            outTo = unsent;
        }
        System.arraycopy(bytes, 0, out, outTo, length);
        outTo += length;
    }

    /** Writes as many buffered bytes as the socket accepts. Returns false if the connection must be closed. */
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
        key().interestOps((isReading() ? SelectionKey.OP_READ : 0) | (done ? 0 : SelectionKey.OP_WRITE));
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
