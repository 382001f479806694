package dev.stagesim.feature.mock;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Takes bytes of a connection as they come and gives the requests in them, bodies of known length or in chunks.
 *
 * <p>Each byte is looked at a bounded number of times, however the bytes are cut into packets and bodies into chunks. What is held
 * is at most a head, or a body and what has come behind it.
 */
final class HttpParser {
    static final int MOST_HEAD = 1 << 16;
    static final int MOST_BODY = 1 << 24;
    static final int MOST_CHUNK_LINE = 1 << 12;

    private static final int FIRST_ROOM = 2048;
    private static final int MOST_ROOM_KEPT = 1 << 20;

    private byte[] bytes = new byte[FIRST_ROOM];
    private int start;
    private int end;

    /** No end of a line or head begins before this. */
    private int searched;

    private @Nullable HttpRequest head;
    private int length;
    private @Nullable Chunks chunks;

    /** A body in chunks, as far as it has come. */
    private static final class Chunks {
        private enum Part {
            SIZE,
            DATA,
            DATA_END,
            TRAILER
        }

        private Part next = Part.SIZE;
        private byte[] body = new byte[FIRST_ROOM];
        private int size;
        private int left;
        private int trailers;

        void take(byte[] from, int at, int count) {
            if (size + count > body.length) {
                body = Arrays.copyOf(body, Math.max(2 * body.length, size + count));
            }
            System.arraycopy(from, at, body, size, count);
            size += count;
            left -= count;
        }
    }

    void add(ByteBuffer more) {
        int count = more.remaining();
        if (end + count > bytes.length) {
            int size = end - start;
            byte[] room = size + count > bytes.length ? new byte[Math.max(2 * bytes.length, size + count)] : bytes;
            System.arraycopy(bytes, start, room, 0, size);
            bytes = room;
            searched = Math.max(0, searched - start);
            start = 0;
            end = size;
        }
        more.get(bytes, end, count);
        end += count;
    }

    /** Returns the head of the request that is not complete, if all of the head has come. */
    Optional<HttpRequest> head() {
        return Optional.ofNullable(head);
    }

    /** Returns the bytes of memory that the parser occupies. */
    int occupied() {
        Chunks open = chunks;
        return bytes.length + (open == null ? 0 : open.body.length);
    }

    /** Returns true if a request has begun and its end has not come. */
    boolean isPartial() {
        return head != null || start < end;
    }

    /** Releases what has come. */
    void clear() {
        bytes = new byte[FIRST_ROOM];
        start = 0;
        end = 0;
        searched = 0;
        head = null;
        chunks = null;
    }

    /** Bytes that have come and are no part of a request that was given. */
    int waiting() {
        return end - start;
    }

    /** True when a head came that asks to be told before its body is sent. */
    boolean wantsContinue() {
        HttpRequest known = head;
        Chunks open = chunks;
        return known != null
                && known.header("expect").isPresent()
                && start == end
                && (open == null || (open.next == Chunks.Part.SIZE && open.size == 0));
    }

    /** The next request, when all of it is there. */
    Optional<HttpRequest> next() throws Refusal {
        if (head == null && !readHead()) {
            return Optional.empty();
        }
        HttpRequest known = java.util.Objects.requireNonNull(head);
        Chunks open = chunks;
        if (open != null) {
            return chunked(open) ? Optional.of(whole(known, Arrays.copyOf(open.body, open.size))) : Optional.empty();
        }
        if (end - start < length) {
            return Optional.empty();
        }
        byte[] body = Arrays.copyOfRange(bytes, start, start + length);
        start += length;
        return Optional.of(whole(known, body));
    }

    private HttpRequest whole(HttpRequest known, byte[] body) {
        head = null;
        chunks = null;
        searched = start;
        if (start == end) {
            start = 0;
            end = 0;
            searched = 0;
            bytes = bytes.length > MOST_ROOM_KEPT ? new byte[FIRST_ROOM] : bytes;
        }
        return new HttpRequest(known.method(), known.path(), known.version11(), known.headers(), body);
    }

    private static int length(HttpRequest known) throws Refusal {
        String text = known.header("content-length").orElse("0").strip();
        if (!text.matches("\\d{1,18}")) {
            throw Refusal.invalid("", "Content-Length is '" + text + "'");
        }
        long length = Long.parseLong(text);
        if (length > MOST_BODY) {
            throw tooLong();
        }
        return (int) length;
    }

    private static Refusal tooLong() {
        return Refusal.of(413, "invalid_request_error", "", "the body is longer than " + MOST_BODY + " bytes");
    }

    private boolean readHead() throws Refusal {
        while (start < end && (bytes[start] == '\r' || bytes[start] == '\n')) {
            start++;
        }
        int to = find("\r\n\r\n");
        if ((to < 0 ? end : to) - start > MOST_HEAD) {
            throw Refusal.of(431, "invalid_request_error", "", "the head is longer than " + MOST_HEAD + " bytes");
        }
        if (to < 0) {
            return false;
        }
        String[] lines = new String(bytes, start, to - start, StandardCharsets.ISO_8859_1).split("\r\n", 0);
        String[] words = lines[0].split(" ", 0);
        if (words.length != 3 || !words[2].matches("HTTP/1\\.[01]")) {
            throw Refusal.invalid("", "this is no HTTP/1.1 request");
        }
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon > 0) {
                headers.put(
                        lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                        lines[i].substring(colon + 1).strip());
            }
        }
        String path = words[1].replaceFirst("\\?.*", "");
        HttpRequest read = new HttpRequest(words[0], path, words[2].endsWith("1"), headers, new byte[0]);
        Optional<String> encoding = read.header("transfer-encoding");
        if (encoding.isPresent() && !encoding.get().equalsIgnoreCase("chunked")) {
            throw Refusal.invalid("", "Transfer-Encoding is '" + encoding.get() + "', expected chunked");
        }
        chunks = encoding.isPresent() ? new Chunks() : null;
        length = encoding.isPresent() ? 0 : length(read);
        head = read;
        start = to + 4;
        searched = start;
        return true;
    }

    /** Goes on with a body in chunks; true when its end has come. */
    private boolean chunked(Chunks open) throws Refusal {
        while (true) {
            switch (open.next) {
                case SIZE -> {
                    Optional<String> line = line(MOST_CHUNK_LINE);
                    if (line.isEmpty()) {
                        return false;
                    }
                    open.left = size(line.get(), MOST_BODY - open.size);
                    open.next = open.left == 0 ? Chunks.Part.TRAILER : Chunks.Part.DATA;
                }
                case DATA -> {
                    int count = Math.min(open.left, end - start);
                    open.take(bytes, start, count);
                    start += count;
                    searched = start;
                    if (open.left > 0) {
                        return false;
                    }
                    open.next = Chunks.Part.DATA_END;
                }
                case DATA_END -> {
                    if (end - start < 2) {
                        return false;
                    }
                    if (bytes[start] != '\r' || bytes[start + 1] != '\n') {
                        throw Refusal.invalid("", "a chunk of the body is longer than it says");
                    }
                    start += 2;
                    searched = start;
                    open.next = Chunks.Part.SIZE;
                }
                case TRAILER -> {
                    Optional<String> line = line(MOST_HEAD - open.trailers);
                    if (line.isEmpty()) {
                        return false;
                    }
                    if (line.get().isEmpty()) {
                        return true;
                    }
                    open.trailers += line.get().length() + 2;
                }
            }
        }
    }

    /** Bytes of a chunk by its first line. */
    private static int size(String line, int room) throws Refusal {
        int semicolon = line.indexOf(';');
        String size = (semicolon < 0 ? line : line.substring(0, semicolon)).strip();
        if (!size.matches("[0-9a-fA-F]{1,15}")) {
            throw Refusal.invalid("", "the body's chunks are malformed");
        }
        long count = Long.parseLong(size, 16);
        if (count > room) {
            throw tooLong();
        }
        return (int) count;
    }

    /** Takes a line of a body in chunks, when all of it is there. */
    private Optional<String> line(int longest) throws Refusal {
        int to = find("\r\n");
        if ((to < 0 ? end : to) - start > longest) {
            throw Refusal.invalid("", "the body's chunks have too long lines");
        }
        if (to < 0) {
            return Optional.empty();
        }
        String line = new String(bytes, start, to - start, StandardCharsets.ISO_8859_1);
        start = to + 2;
        searched = start;
        return Optional.of(line);
    }

    /** Where a mark begins at or behind {@code start}; what was searched in vain is not searched again. */
    private int find(String mark) {
        for (int i = Math.max(start, searched); i + mark.length() <= end; i++) {
            int matched = 0;
            while (matched < mark.length() && bytes[i + matched] == mark.charAt(matched)) {
                matched++;
            }
            if (matched == mark.length()) {
                return i;
            }
        }
        searched = Math.max(start, end - mark.length() + 1);
        return -1;
    }
}
