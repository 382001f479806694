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

/** A repository behind HTTP; a file that was cut off is continued where the server can. */
final class WebRepository implements Repository {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int OK = 200;
    private static final int PARTIAL = 206;
    private static final int BEYOND_END = 416;
    private static final int BUFFER = 1 << 16;

    private final URI root;
    private final HttpClient client;

    WebRepository(URI root) {
        this.root = root;
        client = HttpClient.newBuilder()
                .connectTimeout(TIMEOUT)
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
        HttpRequest.Builder request = HttpRequest.newBuilder(address).timeout(TIMEOUT);
        if (have > 0) {
            request.header("Range", "bytes=" + have + "-");
        }
        HttpResponse<InputStream> answer = send(request.build());
        try (InputStream body = answer.body()) {
            if (answer.statusCode() == BEYOND_END) {
                return;
            }
            if (answer.statusCode() != OK && answer.statusCode() != PARTIAL) {
                throw new IOException("the server answered " + answer.statusCode() + " for " + address);
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

    private static void copy(InputStream body, OutputStream out, long begin, Listener listener) throws IOException {
        byte[] buffer = new byte[BUFFER];
        long have = begin;
        for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
            out.write(buffer, 0, n);
            have += n;
            listener.have(have);
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
