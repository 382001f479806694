package dev.stagesim.pipeline;

import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.stage.PassedTo;
import dev.stagesim.stage.Stage;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The sections of a stage's settings: its own, and those it only hands to upstream stages. */
final class Sections {
    private Sections() {}

    /** Sections of a stage in order; for those only handed on, the roles they shape. */
    static Map<String, List<String>> passedTo(Class<? extends Record> settings) {
        List<String> names = List.copyOf(SettingsSchema.of(settings).defaults().keys());
        RecordComponent[] components = settings.getRecordComponents();
        Map<String, List<String>> sections = new LinkedHashMap<>();
        for (int i = 0; i < components.length; i++) {
            PassedTo passed = components[i].getAnnotation(PassedTo.class);
            sections.put(names.get(i), passed == null ? List.of() : List.of(passed.value()));
        }
        return sections;
    }

    /** The tree without the sections that are only handed on. */
    static MapNode own(MapNode tree, Class<? extends Record> settings) {
        MapNode own = tree;
        for (Map.Entry<String, List<String>> section : passedTo(settings).entrySet()) {
            own = section.getValue().isEmpty() ? own : own.without(section.getKey());
        }
        return own;
    }

    /** The section that an override touches: its key up to the first dot, slash, {@code @} or {@code =}. */
    static String of(String override) {
        return key(override).split("[./@]", 2)[0];
    }

    /** The key of an override, without prefix. */
    static String key(String override) {
        int start = 0;
        while (start < override.length() && "+~".indexOf(override.charAt(start)) >= 0) {
            start++;
        }
        int end = override.indexOf('=', start);
        return override.substring(start, end < 0 ? override.length() : end).strip();
    }

    /** The request as the upstream stage sees it: without the overrides of sections that it lacks. */
    static RunRequest project(RunRequest request, Stage<?> from, Stage<?> to) {
        Set<String> there = passedTo(to.spec().settings()).keySet();
        Set<String> here = passedTo(from.spec().settings()).keySet();
        List<String> overrides = request.overrides().stream()
                .filter(override -> there.contains(of(override)) || !here.contains(of(override)))
                .toList();
        Map<String, Optional<String>> choices = new LinkedHashMap<>();
        request.choices().forEach((group, option) -> {
            if (there.contains(of(group)) || !here.contains(of(group))) {
                choices.put(group, option);
            }
        });
        return new RunRequest(
                request.config(),
                overrides,
                choices,
                request.configName(),
                request.configPath(),
                request.bindOptions());
    }
}
