package dev.stagesim.cli.runs;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.report.Markup;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/** Exports the metadata of a finished run to other tools. */
public record RunExport(RunMeta meta) {
    private static final String TOLERANCE = "tolerance";

    /**
     * Returns JUnit XML: a test case for each tolerance and for each other failed check, or else one test case for the
     * finished run.
     */
    public String junit() {
        Map<String, String> failures = new TreeMap<>();
        meta.checks().forEach(check -> failures.put(check.where(), text(check)));
        Map<String, String> cases = new TreeMap<>(failures);
        settings().forEach((key, value) -> {
            if (key.contains("." + TOLERANCE + ".") && !value.equals("null")) {
                cases.putIfAbsent(key, "");
            }
        });
        if (cases.isEmpty()) {
            cases.put("finished", "");
        }
        String name = "stagesim." + meta.runType();
        String[] counts = {
            "name",
            name,
            "tests",
            Integer.toString(cases.size()),
            "failures",
            Integer.toString(failures.size()),
            "timestamp",
            meta.endedAt()
        };
        Markup out = new Markup().open("testsuite", counts).line().open("properties");
        out.shape("property", "name", "run", "value", meta.runId());
        meta.headlines().forEach((figure, value) -> out.shape("property", "name", figure, "value", value.toString()));
        out.close().line();
        cases.forEach((key, failure) -> {
            out.open("testcase", "classname", name, "name", key);
            if (!failure.isEmpty()) {
                out.leaf(
                        "failure",
                        failure,
                        "message",
                        failure.lines().findFirst().orElse(""));
            }
            out.close().line();
        });
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                + out.close().line().build();
    }

    private static String text(Problem check) {
        StringJoiner lines = new StringJoiner("\n").add(check.what());
        check.notes().forEach(note -> lines.add(note.label() + ": " + note.text()));
        return lines.toString();
    }

    /** Returns OpenMetrics text: a gauge per headline metric, with the end time of the run. */
    public String openMetrics() {
        Map<String, String> labels = new TreeMap<>(Map.of("run", meta.runId(), "stage", meta.runType()));
        meta.model().ifPresent(model -> labels.put("model", model));
        meta.hardware().ifPresent(hardware -> labels.put("hardware", hardware));
        StringJoiner set = new StringJoiner(",", "{", "}");
        labels.forEach((name, value) -> set.add(name + "=\"" + escaped(value) + "\""));
        String at =
                String.format(Locale.ROOT, "%.3f", Instant.parse(meta.endedAt()).toEpochMilli() / 1e3);
        StringBuilder out = new StringBuilder();
        meta.headlines().forEach((figure, value) -> {
            String name = "stagesim_" + figure.replaceAll("[^A-Za-z0-9_:]", "_");
            out.append("# TYPE ").append(name).append(" gauge\n");
            out.append(name)
                    .append(set)
                    .append(' ')
                    .append(value)
                    .append(' ')
                    .append(at)
                    .append('\n');
        });
        return out.append("# EOF\n").toString();
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    /** Returns the stage's settings by key, with lists and text as in JSON. */
    Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>();
        flatten("", meta.params(), settings);
        return settings;
    }

    private static void flatten(String key, JsonValue value, Map<String, String> into) {
        if (value instanceof JsonValue.Obj object && !object.members().isEmpty()) {
            object.members().forEach((name, member) -> flatten(key.isEmpty() ? name : key + "." + name, member, into));
        } else {
            into.put(key, value instanceof JsonValue.Str text ? text.value() : Json.compact(value));
        }
    }

    /** Splits a list into parts with a maximum size. */
    static <T> List<List<T>> parts(List<T> all, int size) {
        List<List<T>> parts = new ArrayList<>();
        for (int from = 0; from < all.size(); from += size) {
            parts.add(all.subList(from, Math.min(all.size(), from + size)));
        }
        return parts;
    }
}
