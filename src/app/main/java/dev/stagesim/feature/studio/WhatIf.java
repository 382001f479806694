package dev.stagesim.feature.studio;

import dev.stagesim.api.Stagesim;
import dev.stagesim.bench.engine.Scratch;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.WebApplication.Setting;
import dev.stagesim.stage.StageEvaluation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Estimates without runs: evaluates one query at a time and caches shared state until the studio ends. */
final class WhatIf implements AutoCloseable {
    private static final long MAX_REQUESTS = 20_000;

    /** Number of requests that simulate in a fraction of a second. */
    private static final long SAMPLE = 2000;

    private static final String COUNT = "workload.num_requests";

    /** Permit to evaluate a query. */
    final Semaphore turn = new Semaphore(1);

    /** Permit to evaluate a quick query, which must not wait for slow ones. */
    private final Semaphore soonTurn = new Semaphore(1);

    private final Setting setting;
    private @Nullable Scratch scratch;
    private @Nullable Stagesim product;

    WhatIf(Setting setting) {
        this.setting = setting;
    }

    /** True if a stage can evaluate queries without a run. */
    static boolean answers(StageEvaluation<?> stage) {
        return stage.oracle().isPresent();
    }

    /**
     * Returns the metrics and their configuration. With {@code soon}, long simulations are replaced by estimates or by
     * a sample of the requests.
     */
    ApiResponse answer(CommandRequest words, boolean soon) throws IOException {
        if (!answers(words.stage())) {
            throw StageException.input(
                    Problem.usage(words.stage().spec().name(), "supports only whole runs: start one"));
        }
        if (words.sweep()) {
            throw StageException.input(Problem.usage("whatif", "supports one job, not a sweep"));
        }
        Semaphore own = soon ? soonTurn : turn;
        if (!own.tryAcquire()) {
            return ApiResponse.refuse(429, "another question is being answered");
        }
        try {
            return answer(words.stage().spec().name(), words.words(), soon);
        } finally {
            own.release();
        }
    }

    private ApiResponse answer(String stage, List<String> words, boolean soon) throws IOException {
        long begun = System.nanoTime();
        Stagesim api = product();
        String[] given = words.toArray(String[]::new);
        api.check(stage, given);
        LocatedJson config = Json.parse(api.config(stage, given), "the configuration");
        OptionalLong requests = requests(config);
        Map<String, Double> known = soon ? api.estimates(stage, given) : Map.of();
        String how = known.isEmpty() ? "" : "Estimated from the steady state, without simulation,";
        if (soon && known.isEmpty() && requests.orElse(0) > SAMPLE) {
            how = String.format(Locale.ROOT, "The first %,d of %,d requests, simulated", SAMPLE, requests.getAsLong());
            known = api.figures(stage, sampled(words));
        }
        boolean exact = how.isEmpty();
        JsonObjectBuilder figures = JsonValue.object();
        for (Map.Entry<String, Double> figure : (exact ? api.figures(stage, given) : known).entrySet()) {
            figures.put(figure.getKey(), figure.getValue());
        }
        return ApiResponse.json(JsonValue.object()
                .put("figures", figures.build())
                .put("config", config.object())
                .put("exact", exact)
                .put("how", how)
                .put("ms", (System.nanoTime() - begun) / 1_000_000)
                .build());
    }

    private static String[] sampled(List<String> words) {
        List<String> fewer = new ArrayList<>(words);
        fewer.removeIf(word -> word.startsWith(COUNT + "="));
        fewer.add(COUNT + "=" + SAMPLE);
        return fewer.toArray(String[]::new);
    }

    /** Creates the API object. Upstream runs of queries, for example profiles, do not appear in the list. */
    private synchronized Stagesim product() throws IOException {
        if (product == null) {
            scratch = Scratch.temporary();
            product =
                    Stagesim.open(setting.home(), setting.work(), scratch.dir()).confined();
        }
        return product;
    }

    @Override
    public void close() {
        try {
            if (turn.tryAcquire() && soonTurn.tryAcquire() && scratch != null) {
                scratch.close();
            }
        } catch (IOException left) {
            // A running query may still use the files; the system deletes its temporary directory.
        }
    }

    /** Returns the number of requests; empty for a stage that chooses it, such as {@code plan}, unless configured. */
    private static OptionalLong requests(LocatedJson config) {
        boolean chooses = config.has("requests");
        LocatedJson count = config.get(chooses ? "requests" : "workload");
        String key = chooses ? "requests" : COUNT;
        if (!chooses) {
            boolean isSet =
                    count.has("num_requests") && !count.get("num_requests").isNull();
            if (!isSet) {
                throw StageException.input(Problem.usage(COUNT, "is not set")
                        .hint("set the number of requests to try, at most " + MAX_REQUESTS));
            }
            count = count.get("num_requests");
        }
        if (count.isNull()) {
            return OptionalLong.empty();
        }
        long requests = count.asLong();
        if (requests > MAX_REQUESTS) {
            throw StageException.input(Problem.usage(key, "is " + requests)
                    .note("expected", "at most " + MAX_REQUESTS + " to try; start a run for more"));
        }
        return OptionalLong.of(requests);
    }
}
