package dev.stagesim.io.measured;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code mlperf_log_summary.txt} of MLPerf LoadGen: lines {@code name : value}, given the keys that the detail log has. */
final class LoadgenSummary {
    static final String NAME = "mlperf_log_summary.txt";

    private static final Pattern LINE = Pattern.compile("\\s*(.+?)\\s*: *(\\S.*?)\\s*");
    private static final Pattern NUMBER = Pattern.compile("[-+]?\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?");
    private static final Pattern PERCENTILE =
            Pattern.compile("(\\d+\\.\\d+) percentile (first token |time to output token|)(?:latency)? *\\(ns\\)");
    private static final Pattern MOMENT =
            Pattern.compile("(min|max|mean) (first token |time per output token|)(?:latency)? *\\(ns\\)");
    private static final Map<String, String> NAMES = Map.of(
            "scenario", "effective_scenario",
            "result is", "result_validity",
            "completed samples per second", "result_completed_samples_per_sec",
            "samples per second", "result_samples_per_second",
            "completed tokens per second", "result_completed_tokens_per_second",
            "tokens per second", "result_tokens_per_second");

    private LoadgenSummary() {}

    static boolean recognises(String head) {
        return head.contains("MLPerf Results Summary") && head.contains("SUT name");
    }

    static LoadgenFormat.Log read(Path file) throws IOException {
        Map<String, JsonAt> values = new LinkedHashMap<>();
        List<String> lines = InputFile.text(file).lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            Matcher line = LINE.matcher(lines.get(i));
            String key = line.matches() ? key(line.group(1).toLowerCase(Locale.ROOT)) : "";
            if (!key.isEmpty()) {
                values.put(key, new JsonAt(file + ":" + (i + 1), "", value(line.group(2))));
            }
        }
        return new LoadgenFormat.Log(values, Map.of());
    }

    /** The key of the detail log; empty for a line that has none. */
    private static String key(String name) {
        Matcher percentile = PERCENTILE.matcher(name);
        if (percentile.matches()) {
            String what = percentile.group(2);
            return what.startsWith("time")
                    ? "result_time_per_output_token_" + percentile.group(1) + "_percentile_ns"
                    : "result_" + (what.isEmpty() ? "" : "first_token_") + percentile.group(1)
                            + "_percentile_latency_ns";
        }
        Matcher moment = MOMENT.matcher(name);
        if (moment.matches()) {
            String what = moment.group(2);
            return what.startsWith("time")
                    ? "result_time_to_output_token_" + moment.group(1)
                    : "result_" + (what.isEmpty() ? "" : "first_token_") + moment.group(1) + "_latency_ns";
        }
        return NAMES.getOrDefault(name, "");
    }

    private static JsonValue value(String text) {
        return NUMBER.matcher(text).matches() ? JsonValue.of(Double.parseDouble(text)) : JsonValue.of(text);
    }
}
