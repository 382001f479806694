package dev.stagesim.bench;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A server of single requests. Its script writes raw bytes, so it can violate the protocol and close the connection. */
public final class RawServer implements AutoCloseable {
    /** The script of one request. */
    public interface Script {
        void answer(int number, String head, Socket socket) throws IOException, InterruptedException;
    }

    private static final String STREAM =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

    private final ServerSocket listener;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger count = new AtomicInteger();
    private final Semaphore requested = new Semaphore(0);
    private final Script script;
    private final Map<String, Supplier<String>> pages = new ConcurrentHashMap<>();

    /** Sets the response to GET requests for a path. */
    public void page(String path, Supplier<String> body) {
        pages.put(path, body);
    }

    public RawServer(Script script) throws IOException {
        this.script = script;
        this.listener = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
        threads.execute(this::accept);
    }

    /** A script that receives the body of each request. */
    public interface BodyScript {
        void answer(String body, Socket socket) throws IOException, InterruptedException;
    }

    public static RawServer ofBodies(BodyScript script) throws IOException {
        return new RawServer(
                (number, request, socket) -> script.answer(request.substring(request.indexOf("\r\n\r\n") + 4), socket));
    }

    public String url() {
        return "http://127.0.0.1:" + listener.getLocalPort() + "/v1";
    }

    /** Returns a semaphore with one permit per completed GET request. */
    public Semaphore requested() {
        return requested;
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                threads.execute(() -> serve(socket));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = in.read();
                if (next < 0) {
                    return;
                }
                head.append((char) next);
            }
            if (head.indexOf("GET ") == 0) {
                String body = pages.getOrDefault(head.substring(4).split(" ", 2)[0], () -> "")
                        .get();
                if (!body.isEmpty()) {
                    write(
                            socket,
                            "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\nConnection: close\r\n\r\n"
                                    + body);
                    return;
                }
                write(socket, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                requested.release();
                return;
            }
            String length = head.toString().replaceAll("(?is).*content-length: *(\\d+).*", "$1");
            byte[] body = in.readNBytes(Integer.parseInt(length));
            head.append(new String(body, StandardCharsets.UTF_8));
            script.answer(count.getAndIncrement(), head.toString(), socket);
        } catch (IOException | InterruptedException e) {
            // the client disconnected, or the test has ended
        }
    }

    public static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
    }

    /** Starts a stream and sends tokens. */
    public static void tokens(Socket socket, int tokens) throws IOException {
        write(socket, STREAM);
        for (int i = 0; i < tokens; i++) {
            token(socket);
        }
    }

    /** Sends one token of a stream. */
    public static void token(Socket socket) throws IOException {
        write(socket, "data: {\"choices\":[{\"index\":0,\"text\":\"t\"}]}\n\n");
    }

    /** Sends a complete response. */
    public static void whole(Socket socket, int tokens) throws IOException {
        tokens(socket, tokens);
        write(
                socket,
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":" + tokens + "}}\n\n");
        write(socket, "data: [DONE]\n\n");
    }

    /** Resets the connection, like a process that is killed. */
    public static void die(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** Stops accepting connections. */
    public void refuse() throws IOException {
        listener.close();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        threads.shutdownNow();
    }
}
