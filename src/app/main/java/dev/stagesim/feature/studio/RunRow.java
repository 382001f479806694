package dev.stagesim.feature.studio;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.store.RunSubject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A run in the list. Rows with equal names share them, because there may be 100,000 rows.
 *
 * @param stage folder of the run
 * @param id id of the run
 * @param stamp changes when the run is re-created
 * @param state state of the run
 * @param ended end time in ISO-8601 format; empty if not ended
 * @param seconds wall time of the stage; 0 if not ended
 * @param subject what was evaluated
 * @param overrides overrides on the command line
 * @param warnings number of warnings
 * @param keys settings
 * @param figures headline metrics
 * @param words searchable text in lower case
 */
record RunRow(
        String stage,
        String id,
        long stamp,
        String state,
        String ended,
        double seconds,
        RunSubject subject,
        String overrides,
        int warnings,
        Keys keys,
        Figures figures,
        String words) {
    static final String FINISHED = "finished";

    /** State of a run that another stage's command made, such as the workload of a simulation. */
    static final String INTERMEDIATE = "intermediate";

    private static final int MAX_VALUE_LENGTH = 200;

    private static final Set<String> STAGES =
            Set.copyOf(StageRegistry.standard().names());

    /** Settings: sorted dotted names, and their values as text. */
    record Keys(List<String> names, List<String> values) {
        static final Keys NONE = new Keys(List.of(), List.of());
    }

    /** Metrics: sorted names, and their values. */
    record Figures(List<String> names, List<Double> values) {
        static final Figures NONE = new Figures(List.of(), List.of());
    }

    /** Name of the run in addresses and notes. */
    String name() {
        return stage + "/" + id;
    }

    String model() {
        return subject.model();
    }

    String hardware() {
        return subject.hardware();
    }

    /** Creates the row of a run that is unreadable or unfinished. */
    static RunRow bare(String stage, String id, long stamp, String state) {
        return of(stage, id, stamp, state, "", 0, RunSubject.NONE, "", 0, Keys.NONE, Figures.NONE);
    }

    /** Creates a row from its parts. */
    static RunRow of(
            String stage,
            String id,
            long stamp,
            String state,
            String ended,
            double seconds,
            RunSubject subject,
            String overrides,
            int warnings,
            Keys keys,
            Figures figures) {
        String words = String.join(
                        " ",
                        stage,
                        id,
                        state,
                        subject.model(),
                        subject.hardware(),
                        subject.engine(),
                        subject.workload(),
                        overrides)
                .toLowerCase(Locale.ROOT);
        return new RunRow(stage, id, stamp, state, ended, seconds, subject, overrides, warnings, keys, figures, words);
    }

    /** Creates a row from a run's metadata and conditions; reads only the displayed members. */
    static RunRow of(String stage, String id, Path dir, LocatedJson meta, long stamp, Shared shared)
            throws IOException {
        RunSubject subject = RunSubject.of(meta.text("model", ""), meta.text("hardware", ""), dir);
        List<String> overrides = meta.get("config").get("overrides").asStrings();
        Map<String, String> settings = settings(meta.get("params").object());
        overrides.forEach(override -> addUpstreamOverride(override, settings));
        Map<String, Double> figures = new TreeMap<>();
        meta.get("headlines").members().forEach((name, value) -> figures.put(name, value.asDouble()));
        String command = meta.get("config").text("name", stage);
        boolean isIntermediate = !command.equals(stage) && STAGES.contains(command);
        return of(
                shared.text(stage),
                id,
                stamp,
                isIntermediate ? INTERMEDIATE : FINISHED,
                meta.get("ended_at").asString(),
                seconds(meta),
                new RunSubject(
                        shared.text(subject.model()),
                        shared.text(subject.hardware()),
                        shared.text(subject.engine()),
                        shared.text(subject.workload())),
                RunSubject.cut(String.join(" ", overrides), 5 * MAX_VALUE_LENGTH),
                meta.get("warnings").array().items().size(),
                new Keys(
                        shared.names(List.copyOf(settings.keySet())),
                        settings.values().stream().map(shared::text).toList()),
                new Figures(shared.names(List.copyOf(figures.keySet())), List.copyOf(figures.values())));
    }

    private static double seconds(LocatedJson meta) {
        try {
            return Duration.between(
                                    Instant.parse(meta.get("started_at").asString()),
                                    Instant.parse(meta.get("ended_at").asString()))
                            .toMillis()
                    / 1000.0;
        } catch (DateTimeParseException unknown) {
            return 0;
        }
    }

    /** Adds an override that belongs to an upstream run. */
    private static void addUpstreamOverride(String override, Map<String, String> settings) {
        int equals = override.indexOf('=');
        String key = equals < 0 ? "" : override.substring(0, equals);
        if (key.matches("[A-Za-z_][\\w.]*")) {
            settings.putIfAbsent(key, RunSubject.cut(override.substring(equals + 1), MAX_VALUE_LENGTH));
        }
    }

    /** Returns every setting by dotted name, sorted; lists are single values. */
    static Map<String, String> settings(JsonValue.Obj params) {
        Map<String, String> settings = new TreeMap<>();
        flatten("", params, settings);
        return settings;
    }

    private static void flatten(String path, JsonValue.Obj section, Map<String, String> into) {
        section.members().forEach((name, value) -> {
            String at = path.isEmpty() ? name : path + "." + name;
            if (value instanceof JsonValue.Obj below && !below.members().isEmpty()) {
                flatten(at, below, into);
            } else {
                String text = value instanceof JsonValue.Str word ? word.value() : Json.compact(value);
                into.put(at, RunSubject.cut(text, MAX_VALUE_LENGTH));
            }
        });
    }

    /** Deduplicates strings and lists of names. Not thread-safe. */
    static final class Shared {
        private final Map<String, String> texts = new java.util.HashMap<>();
        private final Map<List<String>, List<String>> names = new java.util.HashMap<>();

        String text(String text) {
            String known = texts.putIfAbsent(text, text);
            return known == null ? text : known;
        }

        List<String> names(List<String> list) {
            List<String> known = names.get(list);
            if (known == null) {
                List<String> one = new ArrayList<>();
                list.forEach(name -> one.add(text(name)));
                known = List.copyOf(one);
                names.put(known, known);
            }
            return known;
        }
    }
}
