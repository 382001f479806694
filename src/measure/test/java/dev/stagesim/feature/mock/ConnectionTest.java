package dev.stagesim.feature.mock;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The memory that one client can occupy. */
final class ConnectionTest {
    private static final ByteBuffer ROOM = ByteBuffer.allocate(1 << 16);
    private static final byte[] ASK = "GET /metrics HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** Responds to all complete requests with the same text, and returns their number. */
    private static int turn(Connection connection, String text) throws Exception {
        assertThat(connection.read(ROOM)).isTrue();
        int answered = 0;
        while (connection.next(head -> {}).isPresent()) {
            connection.respond(200, "text/plain", text);
            answered++;
        }
        assertThat(connection.flush()).isTrue();
        return answered;
    }

    @Test
    void stopsReadingWhenClientDoesNotRead() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open();
                Selector selector = Selector.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                    SocketChannel server = listener.accept()) {
                client.configureBlocking(false);
                server.configureBlocking(false);
                Connection connection = new Connection(server);
                connection.key = server.register(selector, SelectionKey.OP_READ, connection);
                String text = "x".repeat(2000);
                ByteBuffer asks = ByteBuffer.allocate(ASK.length * 4000);
                for (int i = 0; i < 4000; i++) {
                    asks.put(ASK);
                }
                int sent = 0;
                int answered = 0;
                for (int i = 0; i < 200; i++) {
                    asks.flip().limit(asks.capacity()).position(sent % ASK.length);
                    sent += client.write(asks);
                    answered += turn(connection, text);
                    assertThat(connection.bufferedBytes()).isLessThan(4 << 20);
                }
                assertThat(connection.key().interestOps() & SelectionKey.OP_READ)
                        .isZero();
                int before = answered;
                ByteBuffer into = ByteBuffer.allocate(1 << 20);
                while (answered < sent / ASK.length) {
                    into.clear();
                    client.read(into);
                    answered += turn(connection, text);
                }
                assertThat(answered).isGreaterThan(before);
                assertThat(connection.key().interestOps() & SelectionKey.OP_READ)
                        .isNotZero();
            }
        }
    }

    private static CompletionResponse response(Connection connection) throws ApiError {
        byte[] body = "{\"prompt\":\"a\"}".getBytes(StandardCharsets.US_ASCII);
        CompletionRequest ask = CompletionRequest.read(false, body, 16, MockOptions.ESTIMATE);
        return new CompletionResponse(ask, 0, Optional.of(connection), "", "m", 0);
    }

    @Test
    void buffersPipelinedRequestsUpToALimit() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open();
                Selector selector = Selector.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                    SocketChannel server = listener.accept()) {
                client.configureBlocking(false);
                server.configureBlocking(false);
                Connection connection = new Connection(server);
                connection.key = server.register(selector, SelectionKey.OP_READ, connection);
                connection.beginStream(true);
                connection.response = response(connection);
                ByteBuffer junk = ByteBuffer.allocate(1 << 20);
                for (int i = 0; i < 100; i++) {
                    junk.clear();
                    client.write(junk);
                    assertThat(connection.read(ROOM)).isTrue();
                    assertThat(connection.next(head -> {})).isEmpty();
                    assertThat(connection.bufferedBytes()).isLessThan(1 << 18);
                }
                assertThat(connection.flush()).isTrue();
                assertThat(connection.key().interestOps()).isZero();
                connection.endStream();
                assertThat(connection.flush()).isTrue();
                assertThat(connection.key().interestOps()).isEqualTo(SelectionKey.OP_READ);
            }
        }
    }
}
