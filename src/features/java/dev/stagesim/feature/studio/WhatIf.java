package dev.stagesim.feature.studio;

import dev.stagesim.api.Stagesim;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.WebApplication.Setting;
import dev.stagesim.stage.Stage;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Figures of runs that are not made, one question at a time; what questions share is kept. */
final class WhatIf {
    /** So many requests take some tenths of a second. */
    private static final long MOST_REQUESTS = 20_000;

    private final Setting setting;
    private @Nullable Stagesim product;

    WhatIf(Setting setting) {
        this.setting = setting;
    }

    /** Whether a stage answers without a run. */
    static boolean answers(Stage<?> stage) {
        return stage.oracle().isPresent();
    }

    /** The figures, and the configuration that they are of. */
    synchronized Reply answer(Words words) {
        if (words.sweep()) {
            throw StageException.input(Problem.usage("whatif", "is asked for one job, not for a sweep"));
        }
        if (product == null) {
            product =
                    Stagesim.open(setting.home(), setting.work().resolve("tmp").resolve(RunIndex.FOLDER));
        }
        String stage = words.stage().spec().name();
        String[] given = given(words);
        JsonAt config = Json.parse(product.config(stage, given), "the configuration");
        refuseLarge(config);
        long begun = System.nanoTime();
        JsonObjectBuilder figures = JsonValue.object();
        for (Map.Entry<String, Double> figure : product.figures(stage, given).entrySet()) {
            figures.put(figure.getKey(), figure.getValue());
        }
        return Reply.json(JsonValue.object()
                .put("figures", figures.build())
                .put("config", config.object())
                .put("ms", (System.nanoTime() - begun) / 1_000_000)
                .build());
    }

    /** The overrides, files named from the working directory; what questions rest on is kept apart from its runs. */
    private String[] given(Words words) {
        Set<String> paths = Form.fields(words.stage().spec().settings()).stream()
                .filter(Form.Field::isPath)
                .map(Form.Field::path)
                .collect(Collectors.toSet());
        return words.words().stream()
                .map(word -> {
                    int at = word.indexOf('=') + 1;
                    boolean isFile = paths.contains(word.substring(0, at - 1)) && !word.startsWith("[", at);
                    return isFile ? word.substring(0, at) + setting.work().resolve(word.substring(at)) : word;
                })
                .toArray(String[]::new);
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
