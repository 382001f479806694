package dev.stagesim.bench;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A server on loopback with scripted responses. */
final class MockServer implements AutoCloseable {
    /** The script of one response. */
    interface Script {
        void answer(int number, String request, HttpExchange exchange) throws IOException, InterruptedException;
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger count = new AtomicInteger();

    MockServer(Script script) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4096);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            String request = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            try {
                script.answer(count.getAndIncrement(), request, exchange);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                exchange.close();
            }
        });
        server.start();
    }

    URI base() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/v1");
    }

    int requests() {
        return count.get();
    }

    /** Starts an event stream. */
    static OutputStream stream(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    static void event(OutputStream out, String data) throws IOException {
        out.write(("data: " + data + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    static void token(OutputStream out, String text) throws IOException {
        event(out, "{\"choices\":[{\"index\":0,\"text\":\"" + text + "\",\"finish_reason\":null}]}");
    }

    /** Sends a complete response of several tokens, with usage. */
    static void whole(HttpExchange exchange, int tokens) throws IOException {
        OutputStream out = stream(exchange);
        out.write(": a comment\n\n".getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < tokens; i++) {
            token(out, "t" + i);
        }
        event(out, "{\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":" + tokens + "}}");
        event(out, "[DONE]");
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
