package dev.stagesim.io.measured;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Detail log of MLPerf LoadGen: lines {@code :::MLLOG {...}}, times in ns.
 *
 * <p>In the Server scenario latencies count from the scheduled time, so waiting in the client is part of them.
 */
final class LoadgenFormat implements ResultFormat {
    private static final String MARK = ":::MLLOG ";
    private static final String DETAIL = "mlperf_log_detail.txt";
    private static final Pattern PERCENTILE =
            Pattern.compile("result_(first_token_|time_per_output_token_|)(\\d+\\.\\d+)_percentile(?:_latency)?_ns");

    @Override
    public String name() {
        return "mlperf_loadgen";
    }

    @Override
    public String describe() {
        return "mlperf_log_detail.txt of MLPerf LoadGen, or the directory that holds it";
    }

    @Override
    public boolean recognises(Glimpse file) {
        return file.holds(DETAIL) || (file.head().contains(MARK) && file.head().contains("loadgen"));
    }

    @Override
    public Measurement read(Path path, ReadOptions options) throws IOException {
        options.refuse(true, true, "LoadGen's log is of one run");
        Path file = Files.isDirectory(path) ? path.resolve(DETAIL) : path;
        Map<String, JsonAt> values = values(file);
        if (values.keySet().stream().noneMatch(key -> key.startsWith("result_"))) {
            throw StageException.input(Problem.of("artifact error", file.toString(), "holds no result_... line")
                    .hint("a log of training is read with real.source=mlperf_training"));
        }
        Draft draft = new Draft(name(), "MLPerf LoadGen", file.toString());
        values.forEach((key, at) -> {
            if (key.startsWith("effective_") || key.equals("result_validity") || key.equals("loadgen_version")) {
                draft.engine(key, Optional.of(at).filter(LoadgenFormat::isPlain));
            }
        });
        draft.means("ttft", "from the scheduled time to the first token");
        draft.means("tpot", "A: (latency - first token latency) / (tokens - 1), whole ns");
        for (String statistic : List.of("mean", "max")) {
            draft.aggregate("e2e", "", statistic, find(values, "result_" + statistic + "_latency_ns"), 1);
            draft.aggregate("ttft", "", statistic, find(values, "result_first_token_" + statistic + "_latency_ns"), 1);
            draft.aggregate("tpot", "A", statistic, find(values, "result_time_to_output_token_" + statistic), 1);
        }
        values.forEach((key, at) -> percentile(draft, key, at));
        draft.rate("requests_per_s", find(values, "result_samples_per_second"));
        draft.rate("output_tokens_per_s", find(values, "result_tokens_per_second"));
        draft.rate("completed_tokens_per_s", find(values, "result_completed_tokens_per_second"));
        find(values, "result_validity")
                .filter(at -> !at.asString().equals("VALID"))
                .ifPresent(at -> draft.warn("LoadGen calls the result " + at.asString()));
        return draft.done();
    }

    private static void percentile(Draft draft, String key, JsonAt at) {
        Matcher matcher = PERCENTILE.matcher(key);
        if (matcher.matches()) {
            String which = matcher.group(1);
            String metric = which.startsWith("first") ? "ttft" : which.isEmpty() ? "e2e" : "tpot";
            String percent = matcher.group(2).replaceAll("\\.?0+$", "");
            draft.aggregate(metric, metric.equals("tpot") ? "A" : "", "p" + percent, Optional.of(at), 1);
        }
    }

    private static boolean isPlain(JsonAt at) {
        return !(at.value() instanceof JsonValue.Obj || at.value() instanceof JsonValue.Arr);
    }

    private static Optional<JsonAt> find(Map<String, JsonAt> values, String key) {
        return Optional.ofNullable(values.get(key)).filter(at -> !at.isNull());
    }

    /** The last value of each key; lines of other kinds are passed over. */
    static Map<String, JsonAt> values(Path file) throws IOException {
        Map<String, JsonAt> values = new LinkedHashMap<>();
        try (Stream<String> lines = Files.lines(file)) {
            int[] number = {0};
            lines.forEach(line -> {
                number[0]++;
                int mark = line.indexOf(MARK);
                if (mark >= 0) {
                    JsonAt at = Json.parse(line.substring(mark + MARK.length()), file + ":" + number[0]);
                    at.find("value").ifPresent(value -> values.put(at.get("key").asString(), value));
                }
            });
        }
        return values;
    }
}
