package dev.stagesim.bench.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A repository over HTTP. Resumes partial downloads if the server supports it. */
final class WebRepository implements EngineRepository {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int OK = 200;
    private static final int PARTIAL = 206;
    private static final int BEYOND_END = 416;
    private static final int BUFFER = 1 << 16;

    private final URI root;
    private final Duration timeout;
    private final HttpClient client;

    WebRepository(URI root) {
        this(root, TIMEOUT);
    }

    /** Creates a repository. A download fails if no data arrives within {@code timeout}. */
    WebRepository(URI root, Duration timeout) {
        this.root = root;
        this.timeout = timeout;
        client = HttpClient.newBuilder()
                .connectTimeout(timeout)
                .followRedirects(HttpClient.Redirect.NORMAL)
                .proxy(ProxySelector.getDefault())
                .build();
    }

    @Override
    public String location() {
        return root.toString();
    }

    @Override
    public void fetch(String path, Path part, Listener listener) throws IOException {
        long have = Files.exists(part) ? Files.size(part) : 0;
        String base = root.toString();
        URI address = URI.create(base + (base.endsWith("/") ? "" : "/") + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(address).timeout(timeout);
        if (have > 0) {
            request.header("Range", "bytes=" + have + "-");
        }
        HttpResponse<InputStream> answer = send(request.build());
        try (InputStream body = answer.body()) {
            if (answer.statusCode() == BEYOND_END) {
                return;
            }
            if (answer.statusCode() != OK && answer.statusCode() != PARTIAL) {
                throw new IOException("the server returned status " + answer.statusCode() + " for " + address);
            }
            boolean isContinued = answer.statusCode() == PARTIAL;
            try (OutputStream out = Files.newOutputStream(
                    part,
                    StandardOpenOption.CREATE,
                    isContinued ? StandardOpenOption.APPEND : StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE)) {
                copy(body, out, isContinued ? have : 0, listener);
            }
        }
    }

    private void copy(InputStream body, OutputStream out, long begin, Listener listener) throws IOException {
        ExecutorService reader = Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, "download");
            thread.setDaemon(true);
            return thread;
        });
        try {
            byte[] buffer = new byte[BUFFER];
            long have = begin;
            for (int n = read(reader, body, buffer); n >= 0; n = read(reader, body, buffer)) {
                out.write(buffer, 0, n);
                have += n;
                listener.have(have);
            }
        } finally {
            reader.shutdownNow();
        }
    }

    /** Reads with a timeout, because the timeout of the HTTP client covers only the head of a response. */
    private int read(ExecutorService reader, InputStream body, byte[] buffer) throws IOException {
        try {
            return reader.submit(() -> body.read(buffer)).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new IOException("the server sent nothing for " + timeout.toMillis() / 1000.0 + " s", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    private HttpResponse<InputStream> send(HttpRequest request) throws IOException {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
