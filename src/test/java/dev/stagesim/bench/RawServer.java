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

/** A server of single requests whose script writes the bytes itself, so that it can break the protocol and the connection. */
public final class RawServer implements AutoCloseable {
    /** What becomes of one request. */
    public interface Script {
        void answer(int number, String head, Socket socket) throws IOException, InterruptedException;
    }

    private static final String STREAM =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

    private final ServerSocket listener;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger count = new AtomicInteger();
    private final Semaphore asked = new Semaphore(0);
    private final Script script;
    private final Map<String, Supplier<String>> pages = new ConcurrentHashMap<>();

    /** Answers requests without a body for a path. */
    public void page(String path, Supplier<String> body) {
        pages.put(path, body);
    }

    public RawServer(Script script) throws IOException {
        this.script = script;
        this.listener = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
        threads.execute(this::accept);
    }

    /** A script that gets the body of each request. */
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

    /** Has a permit for each request without a body that was answered. */
    public Semaphore asked() {
        return asked;
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
                asked.release();
                return;
            }
            String length = head.toString().replaceAll("(?is).*content-length: *(\\d+).*", "$1");
            byte[] body = in.readNBytes(Integer.parseInt(length));
            head.append(new String(body, StandardCharsets.UTF_8));
            script.answer(count.getAndIncrement(), head.toString(), socket);
        } catch (IOException | InterruptedException e) {
            // the client went away, or the test is over
        }
    }

    public static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
    }

    /** Begins a stream and gives tokens. */
    public static void tokens(Socket socket, int tokens) throws IOException {
        write(socket, STREAM);
        for (int i = 0; i < tokens; i++) {
            token(socket);
        }
    }

    /** One more token of a stream. */
    public static void token(Socket socket) throws IOException {
        write(socket, "data: {\"choices\":[{\"index\":0,\"text\":\"t\"}]}\n\n");
    }

    /** A whole answer. */
    public static void whole(Socket socket, int tokens) throws IOException {
        tokens(socket, tokens);
        write(
                socket,
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":" + tokens + "}}\n\n");
        write(socket, "data: [DONE]\n\n");
    }

    /** Ends the connection as a process that dies does. */
    public static void die(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** Takes no more connections. */
    public void refuse() throws IOException {
        listener.close();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        threads.shutdownNow();
    }
}
