package dev.stagesim.cli;

import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.KeyInfo;
import dev.stagesim.config.bind.SettingsSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Completes one override word from the groups on disk and the keys of the stage's settings.
 *
 * <p>Nothing is composed, so that an answer never waits for, or fails with, the rest of the command line.
 */
final class OverrideCompleter {
    private final ConfigEngine engine;
    private final Class<? extends Record> settings;

    OverrideCompleter(ConfigEngine engine, Class<? extends Record> settings) {
        this.engine = engine;
        this.settings = settings;
    }

    /** Reading a schema takes half of an answer's time, and options of groups do without. */
    private SettingsSchema schema() {
        return SettingsSchema.of(settings);
    }

    /** Whole words that continue {@code word}, sorted; words that end in {@code =}, {@code .} or {@code /} go on. */
    List<String> complete(String word) {
        int equals = word.indexOf('=');
        if (equals >= 0) {
            String key = word.substring(0, equals);
            return values(key.replaceFirst("^(\\+\\+?|~)", ""), word.substring(equals + 1))
                    .map(value -> key + "=" + value)
                    .toList();
        }
        return keys(word)
                .filter(key -> key.startsWith(word))
                .sorted()
                .distinct()
                .toList();
    }

    private Stream<String> keys(String word) {
        if (word.startsWith("++")) {
            return below(word.substring(2)).map(key -> "++" + key);
        }
        if (word.startsWith("+")) {
            return engine.groups().stream().map(group -> "+" + group + "=");
        }
        if (word.startsWith("~")) {
            return engine.groups().stream().map(group -> "~" + group);
        }
        return Stream.concat(groups(), below(word));
    }

    /** Groups this stage has a section for; others would not be in its defaults list. */
    private Stream<String> groups() {
        return engine.groups().stream()
                .filter(group -> schema().isKnown(group.replaceFirst("/.*", "")))
                .map(group -> group + "=");
    }

    private Stream<String> below(String word) {
        String section = word.contains(".") ? word.substring(0, word.lastIndexOf('.')) : "";
        String prefix = section.isEmpty() ? "" : section + ".";
        return schema().children(section).stream().map(name -> {
            String path = prefix + name;
            boolean isSection = schema().find(path).map(KeyInfo::isSection).orElse(false);
            return path + (isSection ? "." : "=");
        });
    }

    /** Values for {@code key} that continue {@code typed}; after a comma, those not chosen yet. */
    private Stream<String> values(String key, String typed) {
        int comma = typed.lastIndexOf(',');
        String before = typed.substring(0, comma + 1);
        String last = typed.substring(comma + 1);
        List<String> chosen = List.of(before.split(",", -1));
        return candidates(key)
                .filter(value -> value.startsWith(last) && !chosen.contains(value))
                .map(value -> before + value);
    }

    private Stream<String> candidates(String key) {
        String group = key.replaceFirst("@.*", "");
        if (engine.groups().contains(group)) {
            return new TreeSet<>(engine.optionsBelow(group)).stream();
        }
        Optional<KeyInfo> info = schema().find(key);
        if (info.isEmpty() || info.get().isSection()) {
            return Stream.empty();
        }
        if (!info.get().options().isEmpty()) {
            return info.get().options().stream();
        }
        List<String> values = new ArrayList<>();
        if (info.get().type().equals("boolean")) {
            values.addAll(List.of("false", "true"));
        } else if (!info.get().def().isEmpty() && !info.get().def().equals("null")) {
            values.add(info.get().def());
        }
        return values.stream();
    }
}
