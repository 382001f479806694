package dev.stagesim.pipeline.request;

import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.RecordTree;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.PassedTo;
import dev.stagesim.stage.StagePlanning;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The sections of a stage's settings: sections that the stage reads, sections that it only passes to upstream stages,
 * and sections without effect.
 */
public final class Sections {
    private static final ClassValue<Map<String, List<String>>> PASSED = new ClassValue<>() {
        @Override
        protected Map<String, List<String>> computeValue(Class<?> settings) {
            return read(settings.asSubclass(Record.class));
        }
    };

    private Sections() {}

    /**
     * Returns the sections of a stage in order. The value lists the roles that receive a passed section, and is empty
     * for others.
     */
    public static Map<String, List<String>> passedTo(Class<? extends Record> settings) {
        return PASSED.get(settings);
    }

    private static Map<String, List<String>> read(Class<? extends Record> settings) {
        Map<String, List<String>> sections = new LinkedHashMap<>();
        for (RecordComponent section : KeyRecord.components(settings)) {
            PassedTo passed = section.getAnnotation(PassedTo.class);
            sections.put(KeyNames.snake(section.getName()), passed == null ? List.of() : List.of(passed.value()));
        }
        return Collections.unmodifiableMap(sections);
    }

    /** True if a stage with these settings reads a section itself. */
    public static boolean isRead(Class<? extends Record> settings, String section) {
        return KeyRecord.components(settings).stream()
                .filter(component -> KeyNames.snake(component.getName()).equals(section))
                .map(component -> component.getAnnotation(PassedTo.class))
                .anyMatch(passed -> passed == null || passed.readToo());
    }

    /** Returns the names of the sections in order, without reading their records. */
    public static List<String> names(Class<? extends Record> settings) {
        return List.copyOf(passedTo(settings).keySet());
    }

    /** Returns the settings as a tree, without sections that have no effect for these settings. */
    public static <S extends Record> MapNode tree(StagePlanning<S> stage, S settings) {
        return without(RecordTree.of(settings), stage.ignoredSections(settings));
    }

    private static MapNode without(MapNode tree, List<String> sections) {
        MapNode left = tree;
        for (String section : sections) {
            left = left.without(section);
        }
        return left;
    }

    /** Returns a composed tree without sections that have no effect. An incomplete tree is returned unchanged. */
    public static <S extends Record> MapNode effective(StagePlanning<S> stage, MapNode tree) {
        try {
            return without(
                    tree, stage.ignoredSections(Binder.bind(tree, stage.spec().settings())));
        } catch (StageException incomplete) {
            return tree;
        }
    }

    /** Returns the tree without sections that are only passed on. */
    public static MapNode own(MapNode tree, Class<? extends Record> settings) {
        MapNode own = tree;
        for (Map.Entry<String, List<String>> section : passedTo(settings).entrySet()) {
            own = isRead(settings, section.getKey()) ? own : own.without(section.getKey());
        }
        return own;
    }

    /** Returns the section of an override: its key up to the first dot, slash, {@code @} or {@code =}. */
    public static String of(String override) {
        return key(override).split("[./@]", 2)[0];
    }

    /** Returns the key of an override, without prefix. */
    public static String key(String override) {
        int start = 0;
        while (start < override.length() && "+~".indexOf(override.charAt(start)) >= 0) {
            start++;
        }
        int end = override.indexOf('=', start);
        return override.substring(start, end < 0 ? override.length() : end).strip();
    }

    /**
     * Returns the request for an upstream stage. Overrides of sections that it lacks are removed. Sections with the
     * same name but another meaning are removed too: {@code compat} reproduces different tools in different stages.
     *
     * @param changes values that replace those of the request; overrides of replaced sections are removed
     */
    public static RunRequest project(
            RunRequest request, StagePlanning<?> from, StagePlanning<?> to, Map<String, Object> changes) {
        Set<String> here = passedTo(from.spec().settings()).keySet();
        Set<String> there = new LinkedHashSet<>(passedTo(to.spec().settings()).keySet());
        Set<String> namesakes = namesakes(from.spec().settings(), to.spec().settings());
        there.removeAll(namesakes);
        MapNode config = request.config();
        for (String namesake : namesakes) {
            config = config.without(namesake);
        }
        config = ConfigChanges.apply(config, request.config(), changes);
        there.removeAll(changes.keySet());
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
                config, overrides, choices, request.configName(), request.configPath(), request.bindOptions());
    }

    private static Set<String> namesakes(Class<? extends Record> from, Class<? extends Record> to) {
        Map<String, Type> types = types(from);
        Set<String> namesakes = new LinkedHashSet<>();
        types(to).forEach((name, type) -> {
            if (types.containsKey(name) && !type.equals(types.get(name))) {
                namesakes.add(name);
            }
        });
        return namesakes;
    }

    /** Returns the type inside an {@code Optional}, because an optional section is the same section. */
    private static Type bare(Type type) {
        return type instanceof ParameterizedType of && of.getRawType() == Optional.class
                ? of.getActualTypeArguments()[0]
                : type;
    }

    private static Map<String, Type> types(Class<? extends Record> settings) {
        Map<String, Type> types = new LinkedHashMap<>();
        for (RecordComponent section : KeyRecord.components(settings)) {
            types.put(KeyNames.snake(section.getName()), bare(section.getGenericType()));
        }
        return types;
    }
}
