package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.ChildJava;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with a heap of 256 MB and clients that send more than that. */
@Tag("acceptance")
class ServerMemoryTest {
    private static final int CLIENTS = 4;
    private static final int BODY_BYTES = 60_000_000;
    private static final int TIMEOUT_MS = 120_000;

    @TempDir
    Path scratch;

    /** Bodies that declare their length, bodies in chunks, and bodies just below the limit of one request. */
    @Test
    void survivesLargeBodiesOfSeveralClients() throws Exception {
        Path ready = scratch.resolve("address.txt");
        Process server = start(ready);
        try {
            URI address = address(ready, server);
            for (boolean isChunked : new boolean[] {false, true}) {
                for (int bytes : new int[] {BODY_BYTES, 16_000_000}) {
                    send(address, isChunked, bytes);
                    assertThat(server.isAlive()).isTrue();
                    assertThat(complete(address)).isEqualTo(200);
                }
            }
            server.destroy();
            assertThat(server.waitFor(1, TimeUnit.MINUTES)).isTrue();
            assertThat(Files.readString(scratch.resolve("err.txt"))).doesNotContain("internal error", "OutOfMemory");
        } finally {
            server.destroyForcibly();
        }
    }

    private Process start(Path ready) throws IOException {
        Path home = Path.of(System.getProperty("stagesim.home", ".")).toAbsolutePath();
        List<String> command = ChildJava.command(Main.class, "-Xmx256m", "-Dstagesim.home=" + home);
        command.addAll(List.of("serve_mock", "server.port=0", "server.ready_file=" + ready));
        return new ProcessBuilder(command)
                .directory(scratch.toFile())
                .redirectOutput(scratch.resolve("out.txt").toFile())
                .redirectError(scratch.resolve("err.txt").toFile())
                .start();
    }

    private URI address(Path ready, Process server) throws Exception {
        for (int i = 0; i < TIMEOUT_MS / 100; i++) {
            if (Files.exists(ready) && !Files.readString(ready).isBlank()) {
                return URI.create(Files.readString(ready).strip());
            }
            assertThat(server.isAlive()).isTrue();
            Thread.sleep(100);
        }
        throw new AssertionError("the server does not start");
    }

    private static void send(URI address, boolean isChunked, int bytes) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> sent = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                sent.add(clients.submit(() -> send(
                        address,
                        isChunked ? "Transfer-Encoding: chunked" : "Content-Length: " + bytes,
                        isChunked,
                        bytes)));
            }
            for (Future<?> one : sent) {
                one.get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
            }
        } finally {
            clients.shutdownNow();
        }
    }

    /** The server may close the connection at any time. An I/O error ends the sending. */
    private static void send(URI address, String header, boolean isChunked, int bytes) {
        byte[] piece = new byte[1 << 16];
        Arrays.fill(piece, (byte) ' ');
        byte[] chunk = (Integer.toHexString(piece.length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.setSoTimeout(TIMEOUT_MS);
            OutputStream to = socket.getOutputStream();
            to.write(("POST /v1/completions HTTP/1.1\r\n" + header + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            for (int left = bytes; left > piece.length; left -= piece.length) {
                if (isChunked) {
                    to.write(chunk);
                }
                to.write(piece);
                if (isChunked) {
                    to.write(new byte[] {'\r', '\n'});
                }
            }
        } catch (IOException closed) {
            // Rejected, as expected.
        }
    }

    private static int complete(URI address) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(address.resolve("/v1/completions"))
                .POST(HttpRequest.BodyPublishers.ofString("{\"prompt\":\"a\",\"max_tokens\":1}"))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }
}
