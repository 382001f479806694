package dev.stagesim.feature.studio;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.WebApplication;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** HTTP server on the loopback address: {@link Guard} accepts or rejects requests, {@link StudioRoutes} answers them. */
final class StudioServer implements WebApplication.Running {
    private static final int BACKLOG = 64;
    private static final int CONNECTIONS = 200;
    private static final int MAX_BODY_BYTES = 1 << 16;
    private static final int MAX_ADDRESS_LENGTH = 1 << 13;

    private final HttpServer server;
    private final ExecutorService threads;
    private final Guard guard;
    private final StudioRoutes routes;

    private StudioServer(HttpServer server, StudioRoutes routes) {
        this.server = server;
        this.routes = routes;
        this.guard = new Guard(server.getAddress().getPort());
        // Each connection has a thread, so that slow clients do not delay others.
        this.threads =
                new ThreadPoolExecutor(0, CONNECTIONS + 1, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> {
                    Thread thread = new Thread(work, "studio");
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /** Listens on a port; 0 selects a free port. */
    static StudioServer open(int port, StudioRoutes routes) throws IOException {
        limit("sun.net.httpserver.maxReqTime", "5");
        // A connection that is closed with an unread body loses the response, so that short ones are read to their end.
        limit("sun.net.httpserver.drainAmount", Integer.toString(MAX_BODY_BYTES));
        limit("jdk.httpserver.maxConnections", Integer.toString(CONNECTIONS));
        limit("sun.net.httpserver.maxReqHeaders", "100");
        InetAddress here = InetAddress.getByAddress("localhost", new byte[] {127, 0, 0, 1});
        HttpServer server = HttpServer.create(new InetSocketAddress(here, port), BACKLOG);
        StudioServer studio = new StudioServer(server, routes);
        server.setExecutor(studio.threads);
        server.createContext("/", studio::handle);
        server.start();
        return studio;
    }

    private static void limit(String name, String value) {
        if (System.getProperty(name) == null) {
            System.setProperty(name, value);
        }
    }

    @Override
    public URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/?token=" + guard.token());
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (Closeable end = exchange::close) {
            send(exchange, answer(exchange));
        } catch (IOException gone) {
            // The browser has closed the connection.
        }
    }

    private ApiResponse answer(HttpExchange exchange) throws IOException {
        URI address = exchange.getRequestURI();
        String path = Optional.ofNullable(address.getRawPath()).orElse("");
        String query = Optional.ofNullable(address.getRawQuery()).orElse("");
        if (address.toString().length() > MAX_ADDRESS_LENGTH || !path.startsWith("/")) {
            return ApiResponse.refuse(414, "the address is too long, or has no path");
        }
        try {
            ApiRequest call = ApiRequest.of(exchange.getRequestMethod(), path, query, new byte[0]);
            Optional<String> token = call.all("token").stream().findFirst();
            Optional<ApiResponse> refused = guard.check(call.method(), path, token, exchange.getRequestHeaders());
            if (refused.isPresent()) {
                return refused.get();
            }
            byte[] body = call.isPost() ? exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1) : new byte[0];
            return body.length > MAX_BODY_BYTES
                    ? ApiResponse.refuse(413, "the request is longer than " + MAX_BODY_BYTES + " bytes")
                    : routes.answer(new ApiRequest(call.method(), call.path(), call.query(), body));
        } catch (StageException wrong) {
            return ApiResponse.refuse(
                    400, wrong.problems().stream().map(Problem::render).collect(Collectors.joining("\n")));
        } catch (NoSuchFileException missing) {
            return ApiResponse.refuse(404, "there is no " + missing.getFile());
        } catch (IllegalArgumentException malformed) {
            return ApiResponse.refuse(400, "the address is malformed");
        } catch (IOException | UncheckedIOException failed) {
            return ApiResponse.refuse(500, "cannot be read: " + failed.getMessage());
        } catch (RuntimeException bug) {
            return ApiResponse.refuse(500, "failed: " + bug);
        }
    }

    private static void send(HttpExchange exchange, ApiResponse reply) throws IOException {
        var headers = exchange.getResponseHeaders();
        headers.set("Content-Type", reply.type());
        headers.set("Content-Security-Policy", reply.policy());
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        headers.set("Cache-Control", "no-store");
        reply.headers().forEach(headers::set);
        boolean head = exchange.getRequestMethod().toUpperCase(Locale.ROOT).equals("HEAD");
        long length = reply.file().isPresent() ? Files.size(reply.file().get()) : reply.body().length;
        exchange.sendResponseHeaders(reply.status(), head || length == 0 ? -1 : length);
        if (head || length == 0) {
            return;
        }
        try (OutputStream out = exchange.getResponseBody()) {
            if (reply.file().isPresent()) {
                Files.copy(reply.file().get(), out);
            } else {
                out.write(reply.body());
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        routes.close();
    }
}
