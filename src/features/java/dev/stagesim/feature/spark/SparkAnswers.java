package dev.stagesim.feature.spark;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.PortableRun;
import dev.stagesim.pipeline.RunOptions;
import dev.stagesim.pipeline.RunRequest;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.SearchOracle;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;

/** Asks a stage for figures on Spark's workers; many threads may ask at a time, each waits for its own answer. */
final class SparkAnswers implements SearchOracle {
    private static final long PATIENCE_MS = 100;

    private final Talk talk;
    private final Map<String, CompletableFuture<Talk.Answer>> asked = new ConcurrentHashMap<>();
    private int count;
    private volatile boolean closed;

    SparkAnswers(Talk talk) {
        this.talk = talk;
        Thread reader = new Thread(this::listen, "spark-figures");
        reader.setDaemon(true);
        reader.start();
    }

    private void listen() {
        try {
            while (!closed) {
                Talk.Answer answer = talk.poll(PATIENCE_MS);
                CompletableFuture<Talk.Answer> waiting = answer == null ? null : asked.remove(answer.name());
                if (waiting != null) {
                    waiting.complete(answer);
                }
            }
        } catch (IOException | RuntimeException | InterruptedException e) {
            closed = true;
            asked.values().forEach(waiting -> waiting.completeExceptionally(e));
        }
    }

    @Override
    public Reply query(Stage<?> stage, RunRequest request) {
        try {
            Talk.Answer answer = send(new PortableRun(stage.spec().name(), request, RunOptions.DEFAULT))
                    .get();
            return switch (answer.how()) {
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

    private synchronized CompletableFuture<Talk.Answer> send(PortableRun run) throws IOException, InterruptedException {
        CompletableFuture<Talk.Answer> waiting = new CompletableFuture<>();
        String name = Talk.ASK + count++;
        asked.put(name, waiting);
        if (closed) {
            waiting.completeExceptionally(
                    StageException.failed(Problem.of("launcher error", "spark", "its driver has ended")));
            return waiting;
        }
        talk.send(name, Talk.ASK, List.of(), run.text());
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
        talk.close();
    }
}
