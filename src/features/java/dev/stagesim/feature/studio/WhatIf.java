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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Figures of runs that are not made, one question at a time; what questions share is kept until the studio ends. */
final class WhatIf implements AutoCloseable {
    private static final long MOST_REQUESTS = 20_000;

    /** What is simulated in a fraction of a second. */
    private static final long SAMPLE = 2000;

    private static final String COUNT = "workload.num_requests";

    /** Held while a question is answered. */
    final Semaphore turn = new Semaphore(1);

    /** Held while one is answered that must not wait for the others. */
    private final Semaphore soonTurn = new Semaphore(1);

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

    /** The figures, and the configuration that they are of; {@code soon}: estimates, or those of a sample, where all take long. */
    Reply answer(Words words, boolean soon) throws IOException {
        if (!answers(words.stage())) {
            throw StageException.input(
                    Problem.usage(words.stage().spec().name(), "supports only whole runs: start one"));
        }
        if (words.sweep()) {
            throw StageException.input(Problem.usage("whatif", "is asked for one job, not for a sweep"));
        }
        Semaphore own = soon ? soonTurn : turn;
        if (!own.tryAcquire()) {
            return Reply.refuse(429, "another question is being answered");
        }
        try {
            return answer(words.stage().spec().name(), words.words(), soon);
        } finally {
            own.release();
        }
    }

    private Reply answer(String stage, List<String> words, boolean soon) throws IOException {
        long begun = System.nanoTime();
        Stagesim asked = product();
        String[] given = words.toArray(String[]::new);
        asked.check(stage, given);
        JsonAt config = Json.parse(asked.config(stage, given), "the configuration");
        OptionalLong requests = requests(config);
        Map<String, Double> known = soon ? asked.estimates(stage, given) : Map.of();
        String how = known.isEmpty() ? "" : "Estimated from the steady state, without simulation,";
        if (soon && known.isEmpty() && requests.orElse(0) > SAMPLE) {
            how = String.format(Locale.ROOT, "The first %,d of %,d requests, simulated", SAMPLE, requests.getAsLong());
            known = asked.figures(stage, sampled(words));
        }
        boolean exact = how.isEmpty();
        JsonObjectBuilder figures = JsonValue.object();
        for (Map.Entry<String, Double> figure : (exact ? asked.figures(stage, given) : known).entrySet()) {
            figures.put(figure.getKey(), figure.getValue());
        }
        return Reply.json(JsonValue.object()
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

    /** What questions rest on, a profile for example, is no run of the list. */
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
            // as what a question still uses: the system clears its directory of temporary files
        }
    }

    /** How many requests are asked for; none of a stage that chooses, as {@code plan}, unless it is told. */
    private static OptionalLong requests(JsonAt config) {
        boolean chooses = config.has("requests");
        JsonAt count = config.get(chooses ? "requests" : "workload");
        String key = chooses ? "requests" : COUNT;
        if (!chooses) {
            boolean said =
                    count.has("num_requests") && !count.get("num_requests").isNull();
            if (!said) {
                throw StageException.input(Problem.usage(COUNT, "is not said")
                        .hint("say how many requests to try, at most " + MOST_REQUESTS));
            }
            count = count.get("num_requests");
        }
        if (count.isNull()) {
            return OptionalLong.empty();
        }
        long requests = count.asLong();
        if (requests > MOST_REQUESTS) {
            throw StageException.input(Problem.usage(key, "is " + requests)
                    .note("expected", "at most " + MOST_REQUESTS + " to try; start a run for more"));
        }
        return OptionalLong.of(requests);
    }
}
