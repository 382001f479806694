package dev.stagesim.feature.studio;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the list knows of a run. Names are shared between rows that have the same, because there may be a hundred thousand.
 *
 * @param stage folder it is in
 * @param id its id
 * @param stamp changes when the run is made again
 * @param state how far it is
 * @param ended when it ended, ISO-8601; empty when it has not
 * @param model full name of the model, or empty
 * @param hardware full name of the accelerator, or empty
 * @param overrides how it was asked for
 * @param warnings how many warnings it has
 * @param keys its settings
 * @param figures its headline figures
 * @param words what a search looks through, in lower case
 */
record RunRow(
        String stage,
        String id,
        long stamp,
        String state,
        String ended,
        String model,
        String hardware,
        String overrides,
        int warnings,
        Keys keys,
        Figures figures,
        String words) {
    private static final int MOST_VALUE = 200;

    /** Settings: dotted names, sorted, and their values as text. */
    record Keys(List<String> names, List<String> values) {
        static final Keys NONE = new Keys(List.of(), List.of());
    }

    /** Figures: names, sorted, and their values. */
    record Figures(List<String> names, List<Double> values) {
        static final Figures NONE = new Figures(List.of(), List.of());
    }

    /** How it is named in addresses and notes. */
    String name() {
        return stage + "/" + id;
    }

    /** A run that cannot be read, or is not finished. */
    static RunRow bare(String stage, String id, long stamp, String state) {
        return of(stage, id, stamp, state, "", "", "", "", 0, Keys.NONE, Figures.NONE);
    }

    /** The row with these parts. */
    static RunRow of(
            String stage,
            String id,
            long stamp,
            String state,
            String ended,
            String model,
            String hardware,
            String overrides,
            int warnings,
            Keys keys,
            Figures figures) {
        String words =
                String.join(" ", stage, id, state, model, hardware, overrides).toLowerCase(Locale.ROOT);
        return new RunRow(stage, id, stamp, state, ended, model, hardware, overrides, warnings, keys, figures, words);
    }

    /** The row of what a run says of itself; only what is shown is looked at. */
    static RunRow of(String stage, String id, JsonAt meta, long stamp, Shared shared) {
        List<String> overrides = meta.get("config").get("overrides").asStrings();
        Map<String, String> settings = settings(meta.get("params").object());
        overrides.forEach(override -> asked(override, settings));
        Map<String, Double> figures = new TreeMap<>();
        meta.get("headlines").members().forEach((name, value) -> figures.put(name, value.asDouble()));
        return of(
                shared.text(stage),
                id,
                stamp,
                "finished",
                meta.get("ended_at").asString(),
                shared.text(meta.text("model", "")),
                shared.text(meta.text("hardware", "")),
                cut(String.join(" ", overrides), 5 * MOST_VALUE),
                meta.get("warnings").array().items().size(),
                new Keys(
                        shared.names(List.copyOf(settings.keySet())),
                        settings.values().stream().map(shared::text).toList()),
                new Figures(shared.names(List.copyOf(figures.keySet())), List.copyOf(figures.values())));
    }

    /** Takes a key that was asked for and belongs to a run that this one was made from. */
    private static void asked(String override, Map<String, String> settings) {
        int equals = override.indexOf('=');
        String key = equals < 0 ? "" : override.substring(0, equals);
        if (key.matches("[A-Za-z_][\\w.]*")) {
            settings.putIfAbsent(key, cut(override.substring(equals + 1), MOST_VALUE));
        }
    }

    /** Every setting by its dotted name, sorted; lists in one piece. */
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
                into.put(at, cut(text, MOST_VALUE));
            }
        });
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 1) + "…";
    }

    /** Texts and lists of names, one copy of each; of one thread. */
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
