package dev.stagesim.verify.fabric;

import dev.stagesim.io.fabric.AtlasTool;
import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.verify.DifferenceList;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Compares the expected output files of a run with the actual ones. */
final class OutputFolders {
    /** Members with a power, for which C libraries differ in the last bit. */
    private static final Set<String> AFTER_POWER =
            Set.of("queue_metrics", "queue_adjusted", "queue_latency_ms", "queue_wait_ms", "queue_wait_fraction_p99");

    private static final Set<String> FIGURES_AFTER_POWER = Set.of("p50_ms", "p95_ms", "p99_ms", "ttft_ms");

    private OutputFolders() {}

    /** Both folders must have the same files. */
    static void compare(Path expected, Path actual, DifferenceList differences) throws IOException {
        Set<String> names = files(expected);
        for (String name : files(actual)) {
            if (!names.contains(name)) {
                differences.add(name, "no such file", "a file");
            }
        }
        for (String name : names) {
            Path written = actual.resolve(name);
            if (!Files.exists(written)) {
                differences.add(name, "a file", "no such file");
                continue;
            }
            file(name, expected.resolve(name), written, differences);
        }
    }

    static void file(String name, Path expected, Path actual, DifferenceList differences) throws IOException {
        String wanted = Files.readString(expected, StandardCharsets.UTF_8);
        String text = Files.readString(actual, StandardCharsets.UTF_8);
        if (wanted.equals(text)) {
            return;
        }
        if (name.endsWith(".json")) {
            int before = differences.size();
            value(name, AtlasTool.read(expected).value(), AtlasTool.read(actual).value(), false, differences);
            if (before == differences.size() && !sameLayout(wanted, text)) {
                differences.add(name, wanted, text);
            }
            return;
        }
        differences.add(name, wanted, text);
    }

    /** Texts that differ in digits only. */
    private static boolean sameLayout(String wanted, String text) {
        return wanted.replaceAll("[0-9]+", "0").equals(text.replaceAll("[0-9]+", "0"));
    }

    private static void value(
            String where, JsonValue wanted, JsonValue actual, boolean afterPower, DifferenceList differences) {
        if (wanted instanceof JsonValue.Obj a && actual instanceof JsonValue.Obj b) {
            members(where, a.members(), b.members(), afterPower, differences);
        } else if (wanted instanceof JsonValue.Arr a
                && actual instanceof JsonValue.Arr b
                && a.items().size() == b.items().size()) {
            for (int i = 0; i < a.items().size(); i++) {
                value(where + "." + i, a.items().get(i), b.items().get(i), afterPower, differences);
            }
        } else if (!wanted.equals(actual) && !(afterPower && near(wanted, actual))) {
            differences.add(where, shown(wanted), shown(actual));
        }
    }

    private static void members(
            String where,
            Map<String, JsonValue> wanted,
            Map<String, JsonValue> actual,
            boolean afterPower,
            DifferenceList differences) {
        boolean isScheduled = wanted.containsKey("schedule_breakdown");
        for (Map.Entry<String, JsonValue> member : wanted.entrySet()) {
            JsonValue other = actual.get(member.getKey());
            String place = where + "." + member.getKey();
            if (other == null) {
                differences.add(place, shown(member.getValue()), "nothing");
                continue;
            }
            boolean follows = afterPower
                    || AFTER_POWER.contains(member.getKey())
                    || (isScheduled && FIGURES_AFTER_POWER.contains(member.getKey()));
            value(place, member.getValue(), other, follows, differences);
        }
        for (String name : actual.keySet()) {
            if (!wanted.containsKey(name)) {
                differences.add(where + "." + name, "nothing", shown(actual.get(name)));
            }
        }
    }

    private static boolean near(JsonValue wanted, JsonValue actual) {
        return wanted instanceof JsonValue.Real a
                && actual instanceof JsonValue.Real b
                && Math.abs(a.value() - b.value()) <= Math.max(Math.ulp(a.value()), Math.ulp(b.value()));
    }

    private static String shown(JsonValue value) {
        return value instanceof JsonValue.Real number
                ? Double.toString(number.value())
                : dev.stagesim.io.json.Json.describe(value);
    }

    private static Set<String> files(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Set.of();
        }
        return Directories.files(folder).stream()
                .map(file -> folder.relativize(file).toString())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
