package dev.stagesim.feature.mock;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The server. One thread reads requests, advances the simulated service with the clock, and writes responses.
 *
 * <p>A request arrives when all of it has been read. Tokens are written at their simulated time, usually within 0.2 ms; {@link
 * ServerReport#delays} reports the delays.
 */
final class OpenAiServer implements Closeable {
    private static final int BACKLOG = 4096;
    private static final long MAX_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Resolution of {@link Selector#select}. The rest of a wait consists of pauses of {@link #PARK_NS}. */
    private static final long SELECT_RESOLUTION_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final long PARK_NS = 100_000;
    private static final long ACCEPT_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Requests that need at most this memory are accepted even if the server is short of memory. */
    private static final int LARGE_BODY = 1 << 16;

    private static final long TIMEOUT_CHECK_INTERVAL_NS = 1_000_000_000L;
    private static final long REQUEST_TIMEOUT_NS = 60_000_000_000L;

    /** Maximum bytes of incoming requests over all connections: an eighth of the heap. */
    private final long maxRequestBytes = Runtime.getRuntime().maxMemory() / 8;

    private final MockOptions options;
    private final MockService service;
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final OpenAiRoutes routes;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
    private final TreeMap<Integer, Long> refused = new TreeMap<>();
    private final DelayHistogram delays = new DelayHistogram();
    private final long origin = System.nanoTime();
    private int connections;

    /** Bytes of incoming requests over all connections. */
    private long requestBytes;

    private long nextTimeoutCheckNs;
    private int maxConnections;
    private boolean closed;
    private volatile boolean stopping;
    private Acceptor acceptor;
    private long acceptAfterNs;

    /** Returns the next pending connection, or null. */
    interface Acceptor {
        @Nullable
        SocketChannel accept() throws IOException;
    }

    private OpenAiServer(MockOptions options, MockService service, Selector selector, ServerSocketChannel listener) {
        this.options = options;
        this.service = service;
        this.selector = selector;
        this.listener = listener;
        this.acceptor = listener::accept;
        this.routes = new OpenAiRoutes(options, service, System.currentTimeMillis() / 1000);
    }

    /** Opens the port. Requests are served in {@link #run}. */
    static OpenAiServer open(MockOptions options, MockService service) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        try {
            listener.bind(options.address(), BACKLOG);
            listener.configureBlocking(false);
            Selector selector = Selector.open();
            listener.register(selector, SelectionKey.OP_ACCEPT);
            return new OpenAiServer(options, service, selector, listener);
        } catch (IOException | RuntimeException e) {
            listener.close();
            throw e;
        }
    }

    /** Wraps the acceptor, for tests of its failures. Must be called before {@link #run}. */
    void interceptAccepts(UnaryOperator<Acceptor> wrapper) {
        acceptor = wrapper.apply(acceptor);
    }

    /** Returns the port on which the server listens. */
    int port() throws IOException {
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    /** Stops the server and abandons the requests in progress. Callable from any thread. */
    void stop() {
        stopping = true;
        selector.wakeup();
    }

    private long elapsed() {
        return System.nanoTime() - origin;
    }

    /** Serves until {@link #stop} or until a limit of the options is reached. */
    ServerReport run() throws IOException {
        while (!stopping && !isLimitReached()) {
            service.advanceTo(elapsed());
            flush();
            service.recordDelays(delays, elapsed());
            resumeAccepting();
            rejectSlow();
            await(service.nextNs() - elapsed());
        }
        flush();
        service.recordDelays(delays, elapsed());
        return new ServerReport(service.outcomes(), refused, delays, elapsed(), maxConnections);
    }

    private boolean isLimitReached() {
        boolean requestLimit = options.requests().isPresent()
                && service.ended() >= options.requests().getAsLong();
        return requestLimit
                || (options.durationNs().isPresent()
                        && elapsed() >= options.durationNs().getAsLong());
    }

    /** Waits for bytes, at most {@code leftNs}. */
    private void await(long leftNs) throws IOException {
        long wait = Math.min(leftNs, acceptAfterNs > 0 ? ACCEPT_BACKOFF_NANOS : MAX_WAIT_NS);
        if (wait > SELECT_RESOLUTION_NS) {
            selector.select(this::handle, TimeUnit.NANOSECONDS.toMillis(wait) - 1);
        } else if (selector.selectNow(this::handle) == 0 && wait > 0) {
            LockSupport.parkNanos(Math.min(wait, PARK_NS));
        }
    }

    private void handle(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept(key);
            } else {
                serve(key, (Connection) key.attachment());
            }
        } catch (CancelledKeyException | IOException e) {
            drop(key);
        } catch (OutOfMemoryError full) {
            // closing the connection frees the memory of its request; other requests are not affected
            refused.merge(503, 1L, Long::sum);
            drop(key);
        }
    }

    /**
     * Accepts the pending connections. If that fails, for example because there are too few file descriptors, the port stays open,
     * and the server tries again after {@link #ACCEPT_BACKOFF_NANOS}.
     */
    private void accept(SelectionKey key) {
        try {
            for (SocketChannel socket = acceptor.accept(); socket != null; socket = acceptor.accept()) {
                register(socket);
            }
        } catch (IOException e) {
            acceptAfterNs = elapsed() + ACCEPT_BACKOFF_NANOS;
            key.interestOps(0);
        }
    }

    private void resumeAccepting() {
        if (acceptAfterNs > 0 && elapsed() >= acceptAfterNs) {
            acceptAfterNs = 0;
            listener.keyFor(selector).interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    private void register(SocketChannel socket) throws IOException {
        try {
            socket.configureBlocking(false);
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        } catch (IOException e) {
            socket.close(); // the client has already disconnected
            return;
        }
        Connection connection = new Connection(socket);
        connection.key = socket.register(selector, SelectionKey.OP_READ, connection);
        connections++;
        updateMemory(connection);
        maxConnections = Math.max(maxConnections, connections);
    }

    private void serve(SelectionKey key, Connection connection) throws IOException {
        if (key.isReadable() && !connection.read(buffer)) {
            drop(key);
            return;
        }
        updateMemory(connection);
        if (requestBytes > maxRequestBytes && connection.allocatedBytes() > LARGE_BODY) {
            reject(connection, 503, "the server is short of memory for request bodies, send the request again later");
        }
        process(connection);
    }

    /** Updates the memory of all connections after a change of one. */
    private void updateMemory(Connection connection) {
        requestBytes += connection.allocatedBytes() - connection.counted;
        connection.counted = connection.allocatedBytes();
    }

    /** Rejects an incomplete request and closes its connection. */
    private void reject(Connection connection, int status, String reason) {
        connection.discardRequest();
        updateMemory(connection);
        sendError(connection, ApiError.of(status, "server_error", "", reason));
    }

    /** Rejects requests that take too long to arrive. */
    private void rejectSlow() throws IOException {
        long now = elapsed();
        if (now < nextTimeoutCheckNs) {
            return;
        }
        nextTimeoutCheckNs = now + TIMEOUT_CHECK_INTERVAL_NS;
        for (SelectionKey key : List.copyOf(selector.keys())) {
            if (key.isValid() && key.attachment() instanceof Connection connection) {
                long since = connection.incompleteSinceNs(now);
                if (since >= 0 && now - since > REQUEST_TIMEOUT_NS) {
                    reject(
                            connection,
                            408,
                            "the request did not arrive within " + REQUEST_TIMEOUT_NS / 1_000_000_000 + " s");
                    process(connection);
                }
            }
        }
    }

    /** Processes received requests and writes responses, until the client must read or send. */
    private void process(Connection connection) throws IOException {
        int before;
        do {
            before = connection.bufferedBytes();
            processRequests(connection);
            updateMemory(connection);
            if (!connection.flush()) {
                drop(connection.key());
                return;
            }
        } while (connection.bufferedBytes() > 0 && connection.bufferedBytes() < before);
    }

    /** Processes the received requests, one at a time. */
    private void processRequests(Connection connection) {
        try {
            for (var request = connection.next(routes::checkHead);
                    request.isPresent();
                    request = connection.next(routes::checkHead)) {
                try {
                    routes.answer(request.get(), connection, elapsed());
                } catch (ApiError e) {
                    sendError(connection, e);
                }
            }
        } catch (ApiError e) {
            connection.discardRequest();
            sendError(connection, e);
        }
    }

    private void sendError(Connection connection, ApiError error) {
        refused.merge(error.status(), 1L, Long::sum);
        connection.respond(error.status(), "application/json", error.body());
    }

    /** Writes new tokens, and then processes further requests of the same connections. */
    private void flush() {
        for (int i = 0; i < service.touched.size(); i++) {
            Connection connection = service.touched.get(i);
            connection.touched = false;
            try {
                process(connection);
            } catch (CancelledKeyException | IOException e) {
                drop(connection.key());
            }
        }
        service.touched.clear();
    }

    private void drop(SelectionKey key) {
        if (key.attachment() instanceof Connection connection && key.isValid()) {
            connections--;
            requestBytes -= connection.counted;
            connection.counted = 0;
            CompletionResponse open = connection.response;
            if (open != null && !closed) {
                service.disconnect(open, elapsed());
            }
        }
        key.cancel();
        try {
            key.channel().close();
        } catch (IOException e) {
            // nothing else can be released
        }
    }

    /** Closes all connections and the port. */
    @Override
    public void close() throws IOException {
        closed = true;
        selector.keys().forEach(this::drop);
        listener.close();
        selector.close();
    }
}
