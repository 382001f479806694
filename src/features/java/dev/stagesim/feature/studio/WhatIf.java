package dev.stagesim.feature.studio;

import dev.stagesim.api.Stagesim;
import dev.stagesim.bench.Scratch;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.WebApplication.Setting;
import dev.stagesim.stage.StageAnswers;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Figures of runs that are not made, one question at a time; what questions share is kept until the studio ends. */
final class WhatIf implements AutoCloseable {
    private static final long MOST_REQUESTS = 20_000;

    /** Held while a question is answered. */
    final Semaphore turn = new Semaphore(1);

    private final Setting setting;
    private @Nullable Scratch scratch;
    private @Nullable Stagesim product;

    WhatIf(Setting setting) {
        this.setting = setting;
    }

    /** Whether a stage answers without a run. */
    static boolean answers(StageAnswers<?> stage) {
        return stage.oracle().isPresent();
    }

    /** The figures, and the configuration that they are of. */
    Reply answer(Words words) throws IOException {
        if (!answers(words.stage())) {
            throw StageException.input(
                    Problem.usage(words.stage().spec().name(), "answers with whole runs only: start one"));
        }
        if (words.sweep()) {
            throw StageException.input(Problem.usage("whatif", "is asked for one job, not for a sweep"));
        }
        if (!turn.tryAcquire()) {
            return Reply.refuse(429, "another question is being answered");
        }
        try {
            return answer(words.stage().spec().name(), words.words().toArray(String[]::new));
        } finally {
            turn.release();
        }
    }

    private Reply answer(String stage, String... given) throws IOException {
        Stagesim asked = product();
        asked.check(stage, given);
        JsonAt config = Json.parse(asked.config(stage, given), "the configuration");
        refuseLarge(config);
        long begun = System.nanoTime();
        JsonObjectBuilder figures = JsonValue.object();
        for (Map.Entry<String, Double> figure : asked.figures(stage, given).entrySet()) {
            figures.put(figure.getKey(), figure.getValue());
        }
        return Reply.json(JsonValue.object()
                .put("figures", figures.build())
                .put("config", config.object())
                .put("ms", (System.nanoTime() - begun) / 1_000_000)
                .build());
    }

    /** What questions rest on, a profile for example, is no run of the list. */
    private Stagesim product() throws IOException {
        if (product == null) {
            scratch = Scratch.temporary();
            product = Stagesim.open(setting.home(), setting.work(), scratch.dir());
        }
        return product;
    }

    @Override
    public void close() {
        try {
            if (turn.tryAcquire() && scratch != null) {
                scratch.close();
            }
        } catch (IOException left) {
            // as what a question still uses: the system clears its directory of temporary files
        }
    }

    private static void refuseLarge(JsonAt config) {
        JsonAt workload = config.get("workload");
        if (!workload.has("num_requests") || workload.get("num_requests").isNull()) {
            throw StageException.input(Problem.usage("workload.num_requests", "is not said")
                    .hint("say how many requests to try, at most " + MOST_REQUESTS));
        }
        long requests = workload.get("num_requests").asLong();
        if (requests > MOST_REQUESTS) {
            throw StageException.input(Problem.usage("workload.num_requests", "is " + requests)
                    .note("expected", "at most " + MOST_REQUESTS + " to try; start a run for more"));
        }
    }
}
