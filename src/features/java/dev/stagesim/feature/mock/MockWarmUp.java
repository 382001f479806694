package dev.stagesim.feature.mock;

import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.ServingSpec;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Serves some requests on a port of its own, with steps that take no time, so that everything is loaded and compiled when the first
 * real request comes.
 */
public final class MockWarmUp {
    private static final int REQUESTS = 120;
    private static final int TOKENS = 8;
    private static final long MOST_NS = 3_000_000_000L;
    private static final int PATIENCE_MS = 3000;

    private MockWarmUp() {}

    /** Warms up for a service of that kind; what goes wrong will be said by the real one. */
    public static void run(ServingSpec spec, OperatorTimes times) throws IOException {
        MockOptions options = new MockOptions(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "m",
                Optional.empty(),
                TOKENS,
                OptionalLong.of(REQUESTS),
                OptionalLong.of(MOST_NS),
                MockOptions.ESTIMATE);
        try (OpenAiServer server =
                OpenAiServer.open(options, new MockService(spec, times, "m", 16, () -> 1e-9, true))) {
            Thread client = new Thread(() -> ask(server), "mock-warm-up");
            client.setDaemon(true);
            client.start();
            try {
                server.run();
            } catch (RuntimeException e) {
                // a batch that the operator times do not cover, for one
            }
        }
    }

    private static void ask(OpenAiServer server) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(PATIENCE_MS);
            InputStream in = socket.getInputStream();
            String body = "{\"prompt\":\"four words of text\",\"max_tokens\":" + TOKENS
                    + ",\"stream\":true,\"stream_options\":{\"include_usage\":true}}";
            byte[] request = ("POST /v1/completions HTTP/1.1\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                    .getBytes(StandardCharsets.US_ASCII);
            byte[] room = new byte[1 << 14];
            for (int i = 0; i < REQUESTS; i++) {
                socket.getOutputStream().write(request);
                if (!whole(in, room)) {
                    break;
                }
            }
        } catch (IOException e) {
            // the server has ended
        } finally {
            server.stop();
        }
    }

    /** Reads an answer; false when it is no stream that ends. */
    private static boolean whole(InputStream in, byte[] room) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf("[DONE]\n\n\r\n0\r\n\r\n") < 0) {
            int count = in.read(room);
            if (count < 0 || (text.length() > 12 && text.indexOf("HTTP/1.1 200") < 0)) {
                return false;
            }
            text.append(new String(room, 0, count, StandardCharsets.US_ASCII));
        }
        return true;
    }
}
