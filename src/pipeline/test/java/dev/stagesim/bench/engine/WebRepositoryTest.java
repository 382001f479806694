package dev.stagesim.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WebRepositoryTest {
    @TempDir
    private Path dir;

    private final CountDownLatch end = new CountDownLatch(1);
    private final HttpServer server = server();

    private static HttpServer server() {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sends half of the declared bytes and then stalls. */
    @BeforeEach
    void begin() {
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 2000);
            exchange.getResponseBody().write(new byte[1000]);
            exchange.getResponseBody().flush();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
    }

    @AfterEach
    void end() {
        end.countDown();
        server.stop(0);
    }

    @Test
    void keepsPartialFileWhenServerStalls() throws IOException {
        URI root = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        Path part = dir.resolve("a.part");
        assertThatThrownBy(() -> new WebRepository(root, Duration.ofMillis(500)).fetch("a", part, bytes -> {}))
                .isInstanceOf(IOException.class)
                .hasMessage("the server sent nothing for 0.5 s");
        assertThat(Files.size(part)).isEqualTo(1000);
    }
}
