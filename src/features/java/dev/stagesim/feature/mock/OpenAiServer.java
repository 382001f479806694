package dev.stagesim.feature.mock;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The server: one thread reads requests, moves the simulated service along with the clock, and writes what it gives.
 *
 * <p>Arrival is when all of a request has been read. Tokens are written as soon as their time has come, usually within a fifth of a
 * millisecond; {@link ServerReport#lateness} has how late they were.
 */
public final class OpenAiServer implements Closeable {
    private static final int BACKLOG = 4096;
    private static final long LONGEST_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The system's own waits are this coarse; what is left of a wait is made up of short ones. */
    private static final long COARSE_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final long SHORT_NS = 100_000;
    private static final long DEAF_NS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Requests that occupy less are always taken. */
    private static final int LARGE_BODY = 1 << 16;

    private static final long LOOK_INTERVAL_NS = 1_000_000_000L;
    private static final long REQUEST_TIMEOUT_NS = 60_000_000_000L;

    /** Memory for incoming requests of all connections: an eighth of the heap. */
    private final long maxOccupied = Runtime.getRuntime().maxMemory() / 8;

    private final MockOptions options;
    private final MockService service;
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final Routes routes;
    private final ByteBuffer room = ByteBuffer.allocateDirect(1 << 16);
    private final TreeMap<Integer, Long> refused = new TreeMap<>();
    private final Lateness lateness = new Lateness();
    private final long origin = System.nanoTime();
    private int connections;

    /** Bytes of memory that incoming requests of all connections occupy. */
    private long occupied;

    private long nextLookNs;
    private int mostConnections;
    private boolean closed;
    private volatile boolean stopping;
    private Accepting accepting;
    private long deafUntilNs;

    /** Takes the next connection that waits, null when none does. */
    interface Accepting {
        @Nullable
        SocketChannel accept() throws IOException;
    }

    private OpenAiServer(MockOptions options, MockService service, Selector selector, ServerSocketChannel listener) {
        this.options = options;
        this.service = service;
        this.selector = selector;
        this.listener = listener;
        this.accepting = listener::accept;
        this.routes = new Routes(options, service, System.currentTimeMillis() / 1000);
    }

    /** Opens a server; it answers from the time {@link #run} is called. */
    public static OpenAiServer open(MockOptions options, MockService service) throws IOException {
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

    /** Puts something between the port and the server, for tests of what goes wrong there; before it runs. */
    void acceptThrough(UnaryOperator<Accepting> what) {
        accepting = what.apply(accepting);
    }

    /** Port it listens on. */
    public int port() throws IOException {
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    /** Ends the server, from any thread; what is under way is broken off. */
    public void stop() {
        stopping = true;
        selector.wakeup();
    }

    private long elapsed() {
        return System.nanoTime() - origin;
    }

    /** Serves until it is stopped, or has answered or run as long as the options say. */
    public ServerReport run() throws IOException {
        while (!stopping && !enough()) {
            service.advanceTo(elapsed());
            flush();
            service.note(lateness, elapsed());
            hearAgain();
            dropSlow();
            await(service.nextNs() - elapsed());
        }
        flush();
        service.note(lateness, elapsed());
        return new ServerReport(service.served(), refused, lateness, elapsed(), mostConnections);
    }

    private boolean enough() {
        boolean answered = options.requests().isPresent()
                && service.ended() >= options.requests().getAsLong();
        return answered
                || (options.durationNs().isPresent()
                        && elapsed() >= options.durationNs().getAsLong());
    }

    /** Waits for bytes, at most as long as said. */
    private void await(long leftNs) throws IOException {
        long wait = Math.min(leftNs, deafUntilNs > 0 ? DEAF_NS : LONGEST_WAIT_NS);
        if (wait > COARSE_NS) {
            selector.select(this::handle, TimeUnit.NANOSECONDS.toMillis(wait) - 1);
        } else if (selector.selectNow(this::handle) == 0 && wait > 0) {
            LockSupport.parkNanos(Math.min(wait, SHORT_NS));
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
            // the request's memory is free again when its connection is; the record of the others is kept
            refused.merge(503, 1L, Long::sum);
            drop(key);
        }
    }

    /**
     * Takes the connections that wait. When that fails, for want of file handles, say, those that wait go on waiting: the port
     * stays open, and is looked at again a little later rather than in a busy loop.
     */
    private void accept(SelectionKey key) {
        try {
            for (SocketChannel socket = accepting.accept(); socket != null; socket = accepting.accept()) {
                welcome(socket);
            }
        } catch (IOException e) {
            deafUntilNs = elapsed() + DEAF_NS;
            key.interestOps(0);
        }
    }

    private void hearAgain() {
        if (deafUntilNs > 0 && elapsed() >= deafUntilNs) {
            deafUntilNs = 0;
            listener.keyFor(selector).interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    private void welcome(SocketChannel socket) throws IOException {
        try {
            socket.configureBlocking(false);
            socket.setOption(java.net.StandardSocketOptions.TCP_NODELAY, true);
        } catch (IOException e) {
            socket.close(); // the client has gone already
            return;
        }
        Connection connection = new Connection(socket);
        connection.key = socket.register(selector, SelectionKey.OP_READ, connection);
        connections++;
        count(connection);
        mostConnections = Math.max(mostConnections, connections);
    }

    private void serve(SelectionKey key, Connection connection) throws IOException {
        if (key.isReadable() && !connection.read(room)) {
            drop(key);
            return;
        }
        count(connection);
        if (occupied > maxOccupied && connection.occupied() > LARGE_BODY) {
            giveUp(connection, 503, "other requests occupy the memory for bodies, send it again later");
        }
        answer(connection);
    }

    /** Keeps the sum of what all connections occupy. */
    private void count(Connection connection) {
        occupied += connection.occupied() - connection.counted;
        connection.counted = connection.occupied();
    }

    /** Refuses a request that is incomplete, and closes its connection. */
    private void giveUp(Connection connection, int status, String why) {
        connection.giveUp();
        count(connection);
        refuse(connection, Refusal.of(status, "server_error", "", why));
    }

    /** Gives up requests that take too long to arrive. */
    private void dropSlow() throws IOException {
        long now = elapsed();
        if (now < nextLookNs) {
            return;
        }
        nextLookNs = now + LOOK_INTERVAL_NS;
        for (SelectionKey key : java.util.List.copyOf(selector.keys())) {
            if (key.isValid() && key.attachment() instanceof Connection connection) {
                long since = connection.incompleteSinceNs(now);
                if (since >= 0 && now - since > REQUEST_TIMEOUT_NS) {
                    giveUp(
                            connection,
                            408,
                            "the request did not arrive within " + REQUEST_TIMEOUT_NS / 1_000_000_000 + " s");
                    answer(connection);
                }
            }
        }
    }

    /** Answers what has come and writes it, until the client must read or send first. */
    private void answer(Connection connection) throws IOException {
        int before;
        do {
            before = connection.held();
            requests(connection);
            count(connection);
            if (!connection.flush()) {
                drop(connection.key());
                return;
            }
        } while (connection.held() > 0 && connection.held() < before);
    }

    /** Answers what has come; one answer at a time. */
    private void requests(Connection connection) {
        try {
            for (var request = connection.next(routes::admit);
                    request.isPresent();
                    request = connection.next(routes::admit)) {
                try {
                    routes.answer(request.get(), connection, elapsed());
                } catch (Refusal e) {
                    refuse(connection, e);
                }
            }
        } catch (Refusal e) {
            connection.giveUp();
            refuse(connection, e);
        }
    }

    private void refuse(Connection connection, Refusal why) {
        refused.merge(why.status(), 1L, Long::sum);
        connection.respond(why.status(), "application/json", why.body());
    }

    /** Writes what answers have given, and takes the requests that waited behind those that are done. */
    private void flush() {
        for (int i = 0; i < service.touched.size(); i++) {
            Connection connection = service.touched.get(i);
            connection.touched = false;
            try {
                answer(connection);
            } catch (CancelledKeyException | IOException e) {
                drop(connection.key());
            }
        }
        service.touched.clear();
    }

    private void drop(SelectionKey key) {
        if (key.attachment() instanceof Connection connection && key.isValid()) {
            connections--;
            occupied -= connection.counted;
            connection.counted = 0;
            Answer open = connection.answer;
            if (open != null && !closed) {
                service.leave(open, elapsed());
            }
        }
        key.cancel();
        try {
            key.channel().close();
        } catch (IOException e) {
            // it is closed as far as it can be
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
