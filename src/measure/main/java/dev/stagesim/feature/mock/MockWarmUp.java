package dev.stagesim.feature.mock;

import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Serves requests on a private port with steps that take no time, so that all code is loaded and compiled before the first real
 * request.
 */
final class MockWarmUp {
    private static final int REQUESTS = 120;
    private static final int TOKENS = 8;
    private static final long MAX_DURATION_NS = 3_000_000_000L;
    private static final int TIMEOUT_MS = 3000;

    private MockWarmUp() {}

    /** Runs the warm-up. Simulation errors are ignored, because the real server reports them. */
    static void run(ServingSpec spec, OperatorTimes times) throws IOException {
        MockOptions options = new MockOptions(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "m",
                "",
                Optional.empty(),
                TOKENS,
                OptionalLong.of(REQUESTS),
                OptionalLong.of(MAX_DURATION_NS),
                MockOptions.ESTIMATE);
        try (OpenAiServer server =
                OpenAiServer.open(options, new MockService(spec, times, "m", 16, () -> 1e-9, true))) {
            Thread client = new Thread(() -> sendRequests(server), "mock-warm-up");
            client.setDaemon(true);
            client.start();
            try {
                server.run();
            } catch (RuntimeException e) {
                // for example, a batch that the operator times do not cover
            }
        }
    }

    private static void sendRequests(OpenAiServer server) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(TIMEOUT_MS);
            InputStream in = socket.getInputStream();
            String body = "{\"prompt\":\"four words of text\",\"max_tokens\":" + TOKENS
                    + ",\"stream\":true,\"stream_options\":{\"include_usage\":true}}";
            byte[] request = ("POST /v1/completions HTTP/1.1\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                    .getBytes(StandardCharsets.US_ASCII);
            byte[] buffer = new byte[1 << 14];
            for (int i = 0; i < REQUESTS; i++) {
                socket.getOutputStream().write(request);
                if (!readStream(in, buffer)) {
                    break;
                }
            }
        } catch (IOException e) {
            // the server has stopped
        } finally {
            server.stop();
        }
    }

    /** Reads one response. Returns false unless it is a complete event stream. */
    private static boolean readStream(InputStream in, byte[] buffer) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf("[DONE]\n\n\r\n0\r\n\r\n") < 0) {
            int count = in.read(buffer);
            if (count < 0 || (text.length() > 12 && text.indexOf("HTTP/1.1 200") < 0)) {
                return false;
            }
            text.append(new String(buffer, 0, count, StandardCharsets.US_ASCII));
        }
        return true;
    }
}
