package dev.stagesim.feature.mock;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An incremental parser of HTTP/1.1 requests with bodies of known length or in chunks.
 *
 * <p>Each byte is inspected a bounded number of times, independent of the sizes of packets and chunks. The buffer contains at most
 * one head, or one body and the bytes after it.
 */
final class HttpParser {
    static final int MAX_HEAD_BYTES = 1 << 16;
    static final int MAX_BODY_BYTES = 1 << 24;
    static final int MAX_CHUNK_LINE_BYTES = 1 << 12;

    private static final int INITIAL_BYTES = 2048;
    private static final int MAX_RETAINED_BYTES = 1 << 20;

    private byte[] bytes = new byte[INITIAL_BYTES];
    private int start;
    private int end;

    /** Index before which no line or head ends. */
    private int searched;

    private @Nullable HttpRequest head;
    private int length;
    private @Nullable ChunkedBody chunked;

    /** A chunked body in progress. */
    private static final class ChunkedBody {
        private enum Part {
            SIZE,
            DATA,
            DATA_END,
            TRAILER
        }

        private Part next = Part.SIZE;
        private byte[] bytes = new byte[INITIAL_BYTES];
        private int size;
        private int left;
        private int trailers;

        void append(byte[] from, int at, int count) {
            if (size + count > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + count));
            }
            System.arraycopy(from, at, bytes, size, count);
            size += count;
            left -= count;
        }
    }

    void add(ByteBuffer more) {
        int count = more.remaining();
        if (end + count > bytes.length) {
            int size = end - start;
            byte[] grown = size + count > bytes.length ? new byte[Math.max(2 * bytes.length, size + count)] : bytes;
            System.arraycopy(bytes, start, grown, 0, size);
            bytes = grown;
            searched = Math.max(0, searched - start);
            start = 0;
            end = size;
        }
        more.get(bytes, end, count);
        end += count;
    }

    /** Returns the head of the incomplete request, if the head itself is complete. */
    Optional<HttpRequest> head() {
        return Optional.ofNullable(head);
    }

    /** Returns the bytes of memory that the parser has allocated. */
    int allocatedBytes() {
        ChunkedBody body = chunked;
        return bytes.length + (body == null ? 0 : body.bytes.length);
    }

    /** Returns true if a part of a request has been received. */
    boolean isPartial() {
        return head != null || start < end;
    }

    /** Discards all received bytes and releases the memory. */
    void clear() {
        bytes = new byte[INITIAL_BYTES];
        start = 0;
        end = 0;
        searched = 0;
        head = null;
        chunked = null;
    }

    /** Returns the number of received bytes that are not part of a returned request. */
    int unparsedBytes() {
        return end - start;
    }

    /** Returns true if the client waits for "100 Continue" before it sends the body. */
    boolean wantsContinue() {
        HttpRequest known = head;
        ChunkedBody body = chunked;
        return known != null
                && known.header("expect").isPresent()
                && start == end
                && (body == null || (body.next == ChunkedBody.Part.SIZE && body.size == 0));
    }

    /** Returns the next request if it is complete. */
    Optional<HttpRequest> next() throws ApiError {
        if (head == null && !readHead()) {
            return Optional.empty();
        }
        HttpRequest known = Objects.requireNonNull(head);
        ChunkedBody body = chunked;
        if (body != null) {
            return readChunks(body)
                    ? Optional.of(finish(known, Arrays.copyOf(body.bytes, body.size)))
                    : Optional.empty();
        }
        if (end - start < length) {
            return Optional.empty();
        }
        byte[] content = Arrays.copyOfRange(bytes, start, start + length);
        start += length;
        return Optional.of(finish(known, content));
    }

    private HttpRequest finish(HttpRequest known, byte[] body) {
        head = null;
        chunked = null;
        searched = start;
        if (start == end) {
            start = 0;
            end = 0;
            searched = 0;
            bytes = bytes.length > MAX_RETAINED_BYTES ? new byte[INITIAL_BYTES] : bytes;
        }
        return new HttpRequest(known.method(), known.path(), known.version11(), known.headers(), body);
    }

    private static int length(HttpRequest known) throws ApiError {
        String text = known.header("content-length").orElse("0").strip();
        if (!text.matches("\\d{1,18}")) {
            throw ApiError.invalid("", "Content-Length is '" + text + "'");
        }
        long length = Long.parseLong(text);
        if (length > MAX_BODY_BYTES) {
            throw bodyTooLong();
        }
        return (int) length;
    }

    private static ApiError bodyTooLong() {
        return ApiError.of(413, "invalid_request_error", "", "the body is longer than " + MAX_BODY_BYTES + " bytes");
    }

    private boolean readHead() throws ApiError {
        while (start < end && (bytes[start] == '\r' || bytes[start] == '\n')) {
            start++;
        }
        int to = find("\r\n\r\n");
        if ((to < 0 ? end : to) - start > MAX_HEAD_BYTES) {
            throw ApiError.of(431, "invalid_request_error", "", "the head is longer than " + MAX_HEAD_BYTES + " bytes");
        }
        if (to < 0) {
            return false;
        }
        String[] lines = new String(bytes, start, to - start, StandardCharsets.ISO_8859_1).split("\r\n", 0);
        String[] words = lines[0].split(" ", 0);
        if (words.length != 3 || !words[2].matches("HTTP/1\\.[01]")) {
            throw ApiError.invalid("", "this is not an HTTP/1.1 request");
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
            throw ApiError.invalid("", "Transfer-Encoding is '" + encoding.get() + "', expected chunked");
        }
        chunked = encoding.isPresent() ? new ChunkedBody() : null;
        length = encoding.isPresent() ? 0 : length(read);
        head = read;
        start = to + 4;
        searched = start;
        return true;
    }

    /** Reads the available chunks. Returns true at the end of the body. */
    private boolean readChunks(ChunkedBody body) throws ApiError {
        while (true) {
            switch (body.next) {
                case SIZE -> {
                    Optional<String> line = line(MAX_CHUNK_LINE_BYTES);
                    if (line.isEmpty()) {
                        return false;
                    }
                    body.left = size(line.get(), MAX_BODY_BYTES - body.size);
                    body.next = body.left == 0 ? ChunkedBody.Part.TRAILER : ChunkedBody.Part.DATA;
                }
                case DATA -> {
                    int count = Math.min(body.left, end - start);
                    body.append(bytes, start, count);
                    start += count;
                    searched = start;
                    if (body.left > 0) {
                        return false;
                    }
                    body.next = ChunkedBody.Part.DATA_END;
                }
                case DATA_END -> {
                    if (end - start < 2) {
                        return false;
                    }
                    if (bytes[start] != '\r' || bytes[start + 1] != '\n') {
                        throw ApiError.invalid("", "a chunk of the body is longer than its declared size");
                    }
                    start += 2;
                    searched = start;
                    body.next = ChunkedBody.Part.SIZE;
                }
                case TRAILER -> {
                    Optional<String> line = line(MAX_HEAD_BYTES - body.trailers);
                    if (line.isEmpty()) {
                        return false;
                    }
                    if (line.get().isEmpty()) {
                        return true;
                    }
                    body.trailers += line.get().length() + 2;
                }
            }
        }
    }

    /** Returns the size of a chunk from its first line. */
    private static int size(String line, int max) throws ApiError {
        int semicolon = line.indexOf(';');
        String size = (semicolon < 0 ? line : line.substring(0, semicolon)).strip();
        if (!size.matches("[0-9a-fA-F]{1,15}")) {
            throw ApiError.invalid("", "the body's chunks are malformed");
        }
        long count = Long.parseLong(size, 16);
        if (count > max) {
            throw bodyTooLong();
        }
        return (int) count;
    }

    /** Returns the next line of a chunked body if it is complete. */
    private Optional<String> line(int maxLength) throws ApiError {
        int to = find("\r\n");
        if ((to < 0 ? end : to) - start > maxLength) {
            throw ApiError.invalid("", "a line between the chunks of the body is too long");
        }
        if (to < 0) {
            return Optional.empty();
        }
        String line = new String(bytes, start, to - start, StandardCharsets.ISO_8859_1);
        start = to + 2;
        searched = start;
        return Optional.of(line);
    }

    /** Returns the first index of {@code delimiter} from {@code start}, or -1. Searched bytes are not searched again. */
    private int find(String delimiter) {
        for (int i = Math.max(start, searched); i + delimiter.length() <= end; i++) {
            int matched = 0;
            while (matched < delimiter.length() && bytes[i + matched] == delimiter.charAt(matched)) {
                matched++;
            }
            if (matched == delimiter.length()) {
                return i;
            }
        }
        searched = Math.max(start, end - delimiter.length() + 1);
        return -1;
    }
}
