package dev.stagesim.bench;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Replays requests against a server in this process, so that all code is loaded and compiled before a measurement. Otherwise the
 * first request is tens of milliseconds late, which shifts the steps of an idle server relative to all later arrivals.
 */
public final class ClientWarmUp {
    private static final int REQUESTS = 150;
    private static final int EVENTS = 8;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final byte[] RESPONSE = response();

    private ClientWarmUp() {}

    private static byte[] response() {
        StringBuilder events = new StringBuilder();
        for (int i = 0; i < EVENTS; i++) {
            events.append("data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"text\":\" a\",\"finish_reason\":")
                    .append(i + 1 < EVENTS ? "null" : "\"length\"")
                    .append("}]}\n\n");
        }
        events.append(
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":8}}\n\ndata: [DONE]\n\n");
        String head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        return (head + Integer.toHexString(events.length()) + "\r\n" + events + "\r\n0\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Runs the warm-up, which takes some tenths of a second. */
    public static void run() {
        try (ServerSocket listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress())) {
            daemon(() -> accept(listener));
            List<PlannedRequest> requests = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                requests.add(new PlannedRequest(i, i * 500_000L, "a", EVENTS));
            }
            URI base = URI.create("http://127.0.0.1:" + listener.getLocalPort() + "/v1");
            Endpoint endpoint = new Endpoint(base, false, "m", Optional.empty(), TIMEOUT, TIMEOUT, TIMEOUT, true);
            Replay.run(endpoint, requests, 16, (outcome, done, total) -> {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "client-warm-up");
        thread.setDaemon(true);
        thread.start();
    }

    private static void accept(ServerSocket listener) {
        try {
            while (true) {
                Socket socket = listener.accept();
                daemon(() -> serve(socket));
            }
        } catch (IOException e) {
            // closed after the warm-up
        }
    }

    private static void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            for (String head = head(in); !head.isEmpty(); head = head(in)) {
                String length = head.replaceAll("(?is).*content-length: *(\\d+).*", "$1");
                in.readNBytes(length.length() < head.length() ? Integer.parseInt(length) : 0);
                out.write(RESPONSE);
                out.flush();
            }
        } catch (IOException e) {
            // the client has disconnected
        }
    }

    /** Returns the head of a request; empty at the end of the connection. */
    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                return "";
            }
            head.append((char) next);
        }
        return head.toString();
    }
}
