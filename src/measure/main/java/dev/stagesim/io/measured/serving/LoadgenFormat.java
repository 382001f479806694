package dev.stagesim.io.measured.serving;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.FormatProbe;
import dev.stagesim.io.measured.JsonFacts;
import dev.stagesim.io.measured.LogLines;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.MeasurementBuilder;
import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.ResultFormat;
import dev.stagesim.io.measured.ToolUnits;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Detail log or summary of MLPerf LoadGen. The detail log has lines {@code :::MLLOG {...}} with times in ns, the summary
 * has lines {@code name : value}.
 *
 * <p>In the Server scenario latencies count from the scheduled time and include the wait in the client. A negative time
 * wraps around 2^64, and the shared check rejects it.
 */
public final class LoadgenFormat extends ResultFormat {
    private static final String MARK = ":::MLLOG ";
    private static final String DETAIL = "mlperf_log_detail.txt";

    private static final int MAX_ERRORS = 5;
    private static final Pattern PERCENTILE = Pattern.compile(
            "result_(first_token_|time_per_output_token_|)(\\d+(?:\\.\\d+)?)_percentile(?:_latency)?_ns");

    public LoadgenFormat() {
        super(
                "mlperf_loadgen",
                "mlperf_log_detail.txt or mlperf_log_summary.txt of MLPerf LoadGen, or their directory");
    }

    @Override
    public boolean recognises(FormatProbe file) {
        return file.holds(DETAIL)
                || file.holds(LoadgenSummary.NAME)
                || (file.head().contains(MARK) && file.head().contains("loadgen"))
                || LoadgenSummary.recognises(file.head());
    }

    @Override
    public Measurement read(Path path, ReadOptions options) throws IOException {
        options.refuse(true, true, "a LoadGen log contains one run");
        Path file = !Files.isDirectory(path)
                ? path
                : path.resolve(Files.exists(path.resolve(DETAIL)) ? DETAIL : LoadgenSummary.NAME);
        Log log = LoadgenSummary.recognises(FormatProbe.at(file).head()) ? LoadgenSummary.read(file) : detail(file);
        Map<String, LocatedJson> values = log.values();
        if (values.keySet().stream().noneMatch(key -> key.startsWith("result_"))) {
            throw StageException.input(Problem.artifact(file.toString(), "contains no result_... line")
                    .hint("read a training log with real.source=mlperf_training"));
        }
        MeasurementBuilder builder = new MeasurementBuilder(name(), "MLPerf LoadGen", file.toString());
        values.forEach((key, at) -> {
            if (key.startsWith("effective_") || key.equals("result_validity") || key.equals("loadgen_version")) {
                builder.engine(key, Optional.of(at).filter(LoadgenFormat::isPlain));
            }
        });
        builder.means("ttft", "from the scheduled time to the first token");
        builder.means("tpot", "A: (latency - first token latency) / (tokens - 1), whole ns");
        for (String statistic : List.of("mean", "min", "max")) {
            put(builder, "e2e", "", statistic, find(values, "result_" + statistic + "_latency_ns"));
            put(builder, "ttft", "", statistic, find(values, "result_first_token_" + statistic + "_latency_ns"));
            put(
                    builder,
                    "tpot",
                    "A",
                    statistic,
                    find(values, "result_time_to_output_token_" + statistic)
                            .or(() -> find(values, "result_time_per_output_token_" + statistic))
                            .or(() -> find(values, "result_time_per_output_token_" + statistic + "_ns")));
        }
        values.forEach((key, at) -> percentile(builder, key, at));
        rates(builder, values);
        find(values, "result_validity")
                .filter(at -> !at.asString().equals("VALID"))
                .ifPresent(at -> builder.warn("LoadGen reports the result as " + at.asString()));
        log.leftOut().forEach(builder::warn);
        log.errors().entrySet().stream()
                .limit(MAX_ERRORS)
                .forEach(error -> builder.warn("LoadGen logged an error"
                        + (error.getValue() > 1 ? " (" + error.getValue() + " times)" : "") + ": " + error.getKey()));
        return builder.done();
    }

    private static void rates(MeasurementBuilder builder, Map<String, LocatedJson> values) {
        builder.rate(
                "requests_per_s",
                find(values, "result_completed_samples_per_sec")
                        .or(() -> find(values, "result_samples_per_second"))
                        .or(() -> find(values, "result_qps_with_loadgen_overhead")));
        builder.rate("output_tokens_per_s", find(values, "result_tokens_per_second"));
        builder.rate("completed_tokens_per_s", find(values, "result_completed_tokens_per_second"));
    }

    /** Adds an aggregate in ns. */
    private static void put(
            MeasurementBuilder builder,
            String metric,
            String definition,
            String statistic,
            Optional<LocatedJson> value) {
        builder.aggregate(metric, definition, statistic, value, 1);
    }

    private static void percentile(MeasurementBuilder builder, String key, LocatedJson at) {
        Matcher matcher = PERCENTILE.matcher(key);
        if (matcher.matches()) {
            String prefix = matcher.group(1);
            String metric = prefix.startsWith("first") ? "ttft" : prefix.isEmpty() ? "e2e" : "tpot";
            String percent = matcher.group(2).replaceAll("\\.0*$|(\\.\\d*?)0+$", "$1");
            put(builder, metric, metric.equals("tpot") ? "A" : "", "p" + percent, Optional.of(at));
        }
    }

    private static boolean isPlain(LocatedJson at) {
        return !(at.isObject() || at.isArray());
    }

    private static Optional<LocatedJson> find(Map<String, LocatedJson> values, String key) {
        return Optional.ofNullable(values.get(key)).filter(at -> !at.isNull());
    }

    /**
     * The content of a log.
     *
     * @param values the value of each key
     * @param errors how often each error was logged
     * @param leftOut times that were not read
     */
    record Log(Map<String, LocatedJson> values, Map<String, Integer> errors, List<String> leftOut) {}

    /** Adds a value. Rejects a second, different value of a result, because it belongs to another run. */
    private static void put(Map<String, LocatedJson> values, String key, LocatedJson value) {
        LocatedJson earlier = values.put(key, value);
        if (earlier != null && key.startsWith("result_") && !earlier.value().equals(value.value())) {
            throw StageException.input(Problem.artifact(
                            value.where(),
                            key + " is " + JsonFacts.text(value) + ", expected one value: it is "
                                    + JsonFacts.text(earlier) + " in " + earlier.where())
                    .hint("give the log of one run"));
        }
    }

    /** Reads the {@code :::MLLOG} lines of a detail log. */
    private static Log detail(Path file) throws IOException {
        Map<String, LocatedJson> values = new LinkedHashMap<>();
        Map<String, Integer> errors = new LinkedHashMap<>();
        List<String> lines = InputFile.text(file).lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            int mark = lines.get(i).indexOf(MARK);
            if (mark < 0) {
                continue;
            }
            LocatedJson at = Json.parse(lines.get(i).substring(mark + MARK.length()), file + ":" + (i + 1));
            String key = at.get("key").asString();
            Optional<LocatedJson> value = at.find("value");
            if (at.find("metadata", "is_error").map(LocatedJson::asBool).orElse(false)) {
                errors.merge(value.map(JsonFacts::text).orElse(key), 1, Integer::sum);
            } else {
                value.ifPresent(v -> put(values, key, v));
            }
        }
        return new Log(values, errors, List.of());
    }

    /** Reads {@code mlperf_log_summary.txt}, with lines {@code name : value}, into the keys of the detail log. */
    private static final class LoadgenSummary {
        static final String NAME = "mlperf_log_summary.txt";

        private static final Pattern LINE = Pattern.compile("\\s*(.+?)\\s*: *(\\S.*?)\\s*");
        private static final Pattern NUMBER = Pattern.compile("[-+]?\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?");
        private static final Pattern FIGURE = Pattern.compile(
                "(?:(min|max|mean)|(\\d+(?:\\.\\d+)?)(?:th)?(?: percentile)?) (?:(first token)|(time (?:per|to) output token)|)"
                        + " ?(?:percentile )?(?:latency)? *\\((ns|us|ms|s)\\)");
        private static final Pattern TIME = Pattern.compile(".*(?:latency|output token).*\\(.*\\)");
        private static final String PARAMETERS = "test parameters used";
        private static final Map<String, String> NAMES = Map.of(
                "scenario", "effective_scenario",
                "result is", "result_validity",
                "completed samples per second", "result_completed_samples_per_sec",
                "samples per second", "result_samples_per_second",
                "qps w/ loadgen overhead", "result_samples_per_second",
                "completed tokens per second", "result_completed_tokens_per_second",
                "tps w/ loadgen overhead", "result_tokens_per_second",
                "tokens per second", "result_tokens_per_second");

        private LoadgenSummary() {}

        static boolean recognises(String head) {
            return head.contains("MLPerf Results Summary") && head.contains("SUT name");
        }

        static LoadgenFormat.Log read(Path file) throws IOException {
            Map<String, LocatedJson> values = new LinkedHashMap<>();
            List<String> leftOut = new ArrayList<>();
            List<String> lines = LogLines.read(file);
            boolean hasResults = true;
            for (int i = 0; i < lines.size(); i++) {
                Matcher line = LINE.matcher(lines.get(i));
                hasResults &= !lines.get(i).strip().toLowerCase(Locale.ROOT).startsWith(PARAMETERS);
                if (!line.matches()) {
                    continue;
                }
                String name = line.group(1).toLowerCase(Locale.ROOT);
                String key = key(name);
                String where = file + ":" + (i + 1);
                if (!key.isEmpty()) {
                    put(values, key, new LocatedJson(where, "", value(name, line.group(2))));
                } else if (hasResults && TIME.matcher(name).matches()) {
                    leftOut.add(where + ": '" + line.group(1) + "' is left out, expected a mean, minimum, maximum or"
                            + " percentile in ns, us, ms or s");
                }
            }
            return new LoadgenFormat.Log(values, Map.of(), leftOut);
        }

        /**
         * Returns the key in the detail log, or empty if there is none. Versions differ in the name of the time per output
         * token.
         */
        private static String key(String name) {
            Matcher figure = FIGURE.matcher(name);
            if (!figure.matches()) {
                return NAMES.getOrDefault(name, "");
            }
            String statistic = figure.group(1);
            String percent = figure.group(2);
            if (figure.group(4) != null) {
                return statistic != null
                        ? "result_time_to_output_token_" + statistic
                        : "result_time_per_output_token_" + percent + "_percentile_ns";
            }
            String first = figure.group(3) != null ? "first_token_" : "";
            return statistic != null
                    ? "result_" + first + statistic + "_latency_ns"
                    : "result_" + first + percent + "_percentile_latency_ns";
        }

        /** Returns a number, in ns if it is a time. */
        private static JsonValue value(String name, String text) {
            if (!NUMBER.matcher(text).matches()) {
                return JsonValue.of(text);
            }
            Matcher figure = FIGURE.matcher(name);
            return JsonValue.of(Double.parseDouble(text) * (figure.matches() ? ToolUnits.ns(figure.group(5)) : 1));
        }
    }
}
