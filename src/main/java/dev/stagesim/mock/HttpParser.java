package dev.stagesim.mock;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes bytes of a connection as they come and gives the requests in them, bodies of known length or in chunks. */
final class HttpParser {
    private static final int MOST_HEAD = 1 << 16;
    private static final int MOST_BODY = 1 << 26;

    private byte[] bytes = new byte[2048];
    private int start;
    private int end;
    private @Nullable HttpRequest head;
    private int bodyAt;

    void add(ByteBuffer more) {
        int count = more.remaining();
        if (end + count > bytes.length) {
            int size = end - start;
            byte[] room = size + count > bytes.length ? new byte[Math.max(2 * bytes.length, size + count)] : bytes;
            System.arraycopy(bytes, start, room, 0, size);
            bodyAt -= start;
            bytes = room;
            start = 0;
            end = size;
        }
        more.get(bytes, end, count);
        end += count;
    }

    /** True when a head came that asks to be told before its body is sent. */
    boolean wantsContinue() {
        HttpRequest known = head;
        return known != null && known.header("expect").isPresent() && bodyAt == end;
    }

    /** The next request, when all of it is there. */
    Optional<HttpRequest> next() throws Refusal {
        if (head == null && !readHead()) {
            return Optional.empty();
        }
        HttpRequest known = java.util.Objects.requireNonNull(head);
        if (known.header("transfer-encoding")
                .filter("chunked"::equalsIgnoreCase)
                .isPresent()) {
            return chunked(known);
        }
        int length = length(known);
        if (end - bodyAt < length) {
            return Optional.empty();
        }
        return Optional.of(whole(known, Arrays.copyOfRange(bytes, bodyAt, bodyAt + length), bodyAt + length));
    }

    private HttpRequest whole(HttpRequest known, byte[] body, int after) {
        start = after;
        head = null;
        if (start == end) {
            start = 0;
            end = 0;
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
            throw Refusal.of(413, "invalid_request_error", "", "the body is longer than " + MOST_BODY + " bytes");
        }
        return (int) length;
    }

    private boolean readHead() throws Refusal {
        while (start < end && (bytes[start] == '\r' || bytes[start] == '\n')) {
            start++;
        }
        int to = find("\r\n\r\n", start);
        if (to < 0) {
            if (end - start > MOST_HEAD) {
                throw Refusal.of(431, "invalid_request_error", "", "the head is longer than " + MOST_HEAD + " bytes");
            }
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
        head = new HttpRequest(words[0], path, words[2].endsWith("1"), headers, new byte[0]);
        bodyAt = to + 4;
        return true;
    }

    private Optional<HttpRequest> chunked(HttpRequest known) throws Refusal {
        byte[] body = new byte[0];
        int at = bodyAt;
        while (true) {
            int line = find("\r\n", at);
            if (line < 0) {
                return Optional.empty();
            }
            String size = new String(bytes, at, line - at, StandardCharsets.ISO_8859_1)
                    .replaceFirst(";.*", "")
                    .strip();
            if (!size.matches("[0-9a-fA-F]{1,7}") || body.length > MOST_BODY) {
                throw Refusal.invalid("", "the body's chunks are malformed or too long");
            }
            int count = Integer.parseInt(size, 16);
            if (count == 0) {
                int last = find("\r\n", line + 2);
                return last < 0 ? Optional.empty() : Optional.of(whole(known, body, last + 2));
            }
            if (end < line + 2 + count + 2) {
                return Optional.empty();
            }
            body = Arrays.copyOf(body, body.length + count);
            System.arraycopy(bytes, line + 2, body, body.length - count, count);
            at = line + 2 + count + 2;
        }
    }

    private int find(String mark, int from) {
        for (int i = from; i + mark.length() <= end; i++) {
            int matched = 0;
            while (matched < mark.length() && bytes[i + matched] == mark.charAt(matched)) {
                matched++;
            }
            if (matched == mark.length()) {
                return i;
            }
        }
        return -1;
    }
}
