package dev.stagesim.feature.mock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests are independent of packet sizes, are parsed in linear time, and occupy bounded memory. */
final class HttpParserTest {
    private final HttpParser parser = new HttpParser();

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private List<HttpRequest> feed(byte[] bytes, int from, int to) throws ApiError {
        parser.add(ByteBuffer.wrap(bytes, from, to - from));
        List<HttpRequest> all = new ArrayList<>();
        for (Optional<HttpRequest> next = parser.next(); next.isPresent(); next = parser.next()) {
            all.add(next.get());
        }
        return all;
    }

    private List<HttpRequest> feed(String text) throws ApiError {
        return feed(ascii(text), 0, text.length());
    }

    /** Writes a random request with {@code body}. */
    private static void write(Random random, byte[] body, ByteArrayOutputStream out) {
        if (random.nextBoolean()) {
            out.writeBytes(ascii("POST /a?q=1 HTTP/1.1\r\nContent-Length: " + body.length + "\r\n\r\n"));
            out.writeBytes(body);
            return;
        }
        out.writeBytes(ascii("\r\nPOST /a HTTP/1.1\r\nX: y\r\nTransfer-Encoding: Chunked\r\n\r\n"));
        for (int at = 0; at < body.length; ) {
            int count = Math.min(body.length - at, 1 + random.nextInt(40));
            out.writeBytes(ascii(Integer.toHexString(count) + (random.nextBoolean() ? "" : " ;a=b") + "\r\n"));
            out.write(body, at, count);
            out.writeBytes(ascii("\r\n"));
            at += count;
        }
        out.writeBytes(ascii("0\r\n" + (random.nextBoolean() ? "" : "One: 1\r\nTwo: 2\r\n") + "\r\n"));
    }

    @Test
    void parsesTheSameRequestsWhenBytesAreSplit() throws ApiError {
        Random random = new Random(5);
        for (int round = 0; round < 300; round++) {
            List<byte[]> bodies = new ArrayList<>();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (int i = 0; i < 1 + random.nextInt(5); i++) {
                byte[] body = new byte[random.nextInt(4) == 0 ? random.nextInt(9000) : random.nextInt(60)];
                random.nextBytes(body);
                bodies.add(body);
                write(random, body, out);
            }
            byte[] bytes = out.toByteArray();
            List<byte[]> read = new ArrayList<>();
            for (int at = 0; at < bytes.length; ) {
                int to = Math.min(bytes.length, at + 1 + random.nextInt(random.nextBoolean() ? 3 : 5000));
                feed(bytes, at, to).forEach(request -> {
                    assertThat(request.path()).isEqualTo("/a");
                    read.add(request.body());
                });
                at = to;
            }
            assertThat(read).hasSameSizeAs(bodies);
            for (int i = 0; i < read.size(); i++) {
                assertThat(Arrays.equals(read.get(i), bodies.get(i))).isTrue();
            }
            assertThat(parser.unparsedBytes()).isZero();
        }
    }

    /** With quadratic time this would take hours. */
    @Test
    @Timeout(120)
    void readsAMillionSmallChunksInLinearTime() throws ApiError {
        int chunks = 1 << 20;
        feed("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
        byte[] part = ascii("1\r\nx\r\n".repeat(64));
        for (int i = 0; i < chunks / 64; i++) {
            assertThat(feed(part, 0, 200)).isEmpty();
            assertThat(feed(part, 200, part.length)).isEmpty();
            assertThat(parser.unparsedBytes()).isLessThan(part.length);
        }
        assertThat(feed("0\r\n\r\n")).singleElement().satisfies(request -> assertThat(request.body())
                .hasSize(chunks));
    }

    @Test
    @Timeout(120)
    void readsAHeadInSingleBytesInLinearTime() throws ApiError {
        byte[] head = ascii("GET /a HTTP/1.1\r\nX: " + "y".repeat(60_000) + "\r\n\r\n");
        for (int i = 0; i < head.length - 1; i++) {
            assertThat(feed(head, i, i + 1)).isEmpty();
        }
        assertThat(feed(head, head.length - 1, head.length)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x\r\n", "-1\r\n", "\r\n", "1\r\nab\r\n", "ffffffffffffffff\r\n", "0x1\r\n", "1 1\r\n"})
    void rejectsMalformedChunks(String chunks) throws ApiError {
        assertThatThrownBy(() -> feed("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks))
                .isInstanceOfSatisfying(
                        ApiError.class, why -> assertThat(why.status()).isEqualTo(400));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 67108865\r\n\r\n",
                "Content-Length: 999999999999999999\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n4000001\r\n",
                "Transfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\n"
            })
    void rejectsBodiesWhenDeclaredLengthIsTooLong(String rest) {
        assertThatThrownBy(() -> feed("POST /a HTTP/1.1\r\n" + rest))
                .isInstanceOfSatisfying(
                        ApiError.class, why -> assertThat(why.status()).isEqualTo(413));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Content-Length: x", "Content-Length: -1", "Content-Length: 1,1", "Transfer-Encoding: gzip"})
    void rejectsBodiesOfUnknownLength(String header) {
        assertThatThrownBy(() -> feed("POST /a HTTP/1.1\r\n" + header + "\r\n\r\n"))
                .isInstanceOfSatisfying(
                        ApiError.class, why -> assertThat(why.status()).isEqualTo(400));
    }

    @Test
    void rejectsLinesWithoutEnd() throws ApiError {
        String chunked = "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        assertThat(feed(chunked + "1;" + "x".repeat(HttpParser.MAX_CHUNK_LINE_BYTES - 10)))
                .isEmpty();
        assertThatThrownBy(() -> feed("x".repeat(20))).isInstanceOf(ApiError.class);
        HttpParser trailers = new HttpParser();
        trailers.add(ByteBuffer.wrap(ascii(chunked + "0\r\n" + "A: b\r\n".repeat(HttpParser.MAX_HEAD_BYTES / 4))));
        assertThatThrownBy(trailers::next).isInstanceOf(ApiError.class);
        HttpParser head = new HttpParser();
        head.add(ByteBuffer.wrap(ascii("GET /" + "a".repeat(HttpParser.MAX_HEAD_BYTES))));
        assertThatThrownBy(head::next).isInstanceOfSatisfying(ApiError.class, why -> assertThat(why.status())
                .isEqualTo(431));
    }

    @Test
    void requestsTheBodyOnce() throws ApiError {
        assertThat(feed("POST /a HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"))
                .isEmpty();
        assertThat(parser.wantsContinue()).isTrue();
        assertThat(feed("a")).isEmpty();
        assertThat(parser.wantsContinue()).isFalse();
        assertThat(feed("b")).hasSize(1);
        assertThat(parser.wantsContinue()).isFalse();
    }

    @Test
    void releasesMemoryOfARequest() throws ApiError {
        HttpParser parser = new HttpParser();
        assertThat(parser.isPartial()).isFalse();
        int idle = parser.allocatedBytes();
        byte[] head = "POST /v1/completions HTTP/1.1\r\nContent-Length: 100000\r\n\r\n"
                .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        parser.add(java.nio.ByteBuffer.wrap(head));
        parser.add(java.nio.ByteBuffer.wrap(new byte[90_000]));
        assertThat(parser.next()).isEmpty();
        assertThat(parser.isPartial()).isTrue();
        assertThat(parser.allocatedBytes()).isGreaterThan(90_000);
        parser.clear();
        assertThat(parser.isPartial()).isFalse();
        assertThat(parser.allocatedBytes()).isEqualTo(idle);
    }
}
