package dev.stagesim.feature.spark;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.PortableRun;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.launch.SearchOracle;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;

/** Evaluates search queries on Spark's workers. Thread-safe; each caller blocks until its result arrives. */
final class SparkOracle implements SearchOracle {
    private static final long POLL_MS = 100;

    private final WorkerChannel channel;
    private final Map<String, CompletableFuture<WorkerChannel.TaskResult>> pending = new ConcurrentHashMap<>();
    private int count;
    private volatile boolean closed;

    SparkOracle(WorkerChannel channel) {
        this.channel = channel;
        Thread reader = new Thread(this::listen, "spark-figures");
        reader.setDaemon(true);
        reader.start();
    }

    private void listen() {
        try {
            while (!closed) {
                WorkerChannel.TaskResult answer = channel.poll(POLL_MS);
                CompletableFuture<WorkerChannel.TaskResult> waiting =
                        answer == null ? null : pending.remove(answer.name());
                if (waiting != null) {
                    waiting.complete(answer);
                }
            }
        } catch (IOException | RuntimeException | InterruptedException e) {
            closed = true;
            pending.values().forEach(waiting -> waiting.completeExceptionally(e));
        }
    }

    @Override
    public Reply query(Stage<?> stage, RunRequest request) {
        try {
            WorkerChannel.TaskResult answer = send(new PortableRun(stage.spec().name(), request, RunOptions.DEFAULT))
                    .get();
            return switch (answer.outcome()) {
                case RemoteJob.FIGURES -> new Reply(parse(answer.words().get(1)), "");
                case RemoteJob.REFUSED ->
                    new Reply(new TreeMap<>(), answer.words().get(1));
                default ->
                    throw StageException.failed(
                            Problem.of("launcher error", "spark", answer.words().get(1)));
            };
        } catch (IOException e) {
            throw StageException.failed(Problem.of("launcher error", "spark", String.valueOf(e.getMessage())), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("a search was interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StageException told) {
                throw told;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private synchronized CompletableFuture<WorkerChannel.TaskResult> send(PortableRun run)
            throws IOException, InterruptedException {
        CompletableFuture<WorkerChannel.TaskResult> waiting = new CompletableFuture<>();
        String name = WorkerChannel.EVALUATE + count++;
        pending.put(name, waiting);
        if (closed) {
            waiting.completeExceptionally(
                    StageException.failed(Problem.of("launcher error", "spark", "its driver has ended")));
            return waiting;
        }
        channel.send(name, WorkerChannel.EVALUATE, List.of(), run.text());
        return waiting;
    }

    static String text(SortedMap<String, Double> figures) {
        JsonObjectBuilder values = JsonValue.object();
        figures.forEach(values::put);
        return Json.compact(values.build());
    }

    static SortedMap<String, Double> parse(String text) {
        SortedMap<String, Double> figures = new TreeMap<>();
        Json.parse(text, "figures").members().forEach((name, value) -> figures.put(name, value.asDouble()));
        return figures;
    }

    @Override
    public void close() {
        closed = true;
        channel.close();
    }
}
