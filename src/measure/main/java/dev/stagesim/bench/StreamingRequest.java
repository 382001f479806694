package dev.stagesim.bench;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Sends one request, reads its event stream, and reports its outcome exactly once. */
final class StreamingRequest {
    private static final int MAX_ERROR_LENGTH = 4096;

    private final Endpoint endpoint;
    private final PlannedRequest planned;
    private final String label;
    private final LongSupplier clock;
    private final Consumer<ReplayOutcome> report;
    private final StreamReader reader;
    private final StringBuilder errorBody = new StringBuilder();
    private volatile long sentNs = -1;
    private volatile long lastByteNanos = -1;
    private volatile @Nullable CompletableFuture<?> responseFuture;
    private volatile Flow.@Nullable Subscription subscription;
    private boolean reported;
    private int status = 200;

    StreamingRequest(
            Endpoint endpoint,
            PlannedRequest planned,
            String label,
            LongSupplier clock,
            Consumer<ReplayOutcome> report) {
        this.endpoint = endpoint;
        this.planned = planned;
        this.label = label;
        this.clock = clock;
        this.report = report;
        this.reader = new StreamReader(endpoint.chat());
    }

    void send(HttpClient client, byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(endpoint.target())
                .header("Content-Type", "application/json")
                .header("Accept", "text/event-stream")
                .header("X-Request-Id", label)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
        endpoint.apiKey().ifPresent(key -> request.header("Authorization", "Bearer " + key));
        sentNs = clock.getAsLong();
        lastByteNanos = sentNs;
        CompletableFuture<HttpResponse<Void>> future = client.sendAsync(request.build(), info -> {
            status = info.statusCode();
            return new Body();
        });
        responseFuture = future;
        CompletableFuture<HttpResponse<Void>> unused = future.whenComplete(
                (response, failure) -> end(failure == null ? Optional.empty() : Optional.of(describe(failure)), false));
    }

    /** Ends the request if it must be cancelled now, or if a timeout has expired. */
    void expire(long nowNs) {
        long idle = nowNs - lastByteNanos;
        if (sentNs >= 0 && nowNs - sentNs >= planned.cancellation().afterNs()) {
            end(Optional.empty(), true);
            cancelTransfer();
        } else if (sentNs >= 0 && idle > endpoint.stallTimeout().toNanos()) {
            abort("no data for " + endpoint.stallTimeout().toSeconds() + " s");
        } else if (sentNs >= 0 && nowNs - sentNs > endpoint.requestTimeout().toNanos()) {
            abort("not complete after " + endpoint.requestTimeout().toSeconds() + " s");
        }
    }

    /** Ends the request with an error. */
    void abort(String reason) {
        end(Optional.of(reason), false);
        cancelTransfer();
    }

    private void cancelTransfer() {
        Flow.Subscription stream = subscription;
        if (stream != null) {
            stream.cancel();
        }
        CompletableFuture<?> future = responseFuture;
        if (future != null) {
            future.cancel(true);
        }
    }

    private synchronized void end(Optional<String> failure, boolean isCancelled) {
        if (reported) {
            return;
        }
        reported = true;
        boolean cancelled = isCancelled && status == 200;
        Optional<String> error = status == 200
                ? (cancelled ? Optional.empty() : failure.or(reader::problem))
                : Optional.of("HTTP " + status + ": "
                        + StreamReader.abbreviate(errorBody.toString().strip()));
        report.accept(new ReplayOutcome(
                planned.id(),
                label,
                planned.arrivalNs(),
                sentNs,
                clock.getAsLong(),
                reader.chunks(),
                reader.promptTokens(),
                reader.outputTokens(),
                cancelled,
                error));
    }

    private static String describe(Throwable failure) {
        String text = "";
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException) {
                return "cannot connect";
            }
            text = cause instanceof IOException && cause.getMessage() != null ? ": " + cause.getMessage() : text;
        }
        return "the connection failed" + text;
    }

    private synchronized boolean take(ByteBuffer bytes, long nowNs) {
        if (reported) {
            return false;
        }
        if (status == 200) {
            boolean isOpen = reader.accept(bytes, nowNs);
            if (isOpen
                    && !reader.ended()
                    && reader.count() >= planned.cancellation().chunks()) {
                end(Optional.empty(), true);
                return false;
            }
            return isOpen;
        }
        if (errorBody.length() < MAX_ERROR_LENGTH) {
            errorBody.append(StandardCharsets.UTF_8.decode(bytes));
        }
        return true;
    }

    /** Records the arrival time of each batch of bytes. The time of an event is the arrival of its last byte. */
    private final class Body implements BodySubscriber<Void> {
        private final CompletableFuture<Void> whole = new CompletableFuture<>();

        @Override
        public CompletionStage<Void> getBody() {
            return whole;
        }

        @Override
        public void onSubscribe(Flow.Subscription stream) {
            subscription = stream;
            stream.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            long now = clock.getAsLong();
            lastByteNanos = now;
            for (ByteBuffer bytes : buffers) {
                if (!take(bytes, now)) {
                    Flow.Subscription stream = subscription;
                    if (stream != null) {
                        stream.cancel();
                    }
                    whole.complete(null);
                    return;
                }
            }
        }

        @Override
        public void onError(Throwable failure) {
            whole.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            whole.complete(null);
        }
    }
}
