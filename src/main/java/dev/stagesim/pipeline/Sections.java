package dev.stagesim.pipeline;

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

/** The sections of a stage's settings: its own, those it only hands to upstream stages, and those without effect. */
public final class Sections {
    private static final ClassValue<Map<String, List<String>>> PASSED = new ClassValue<>() {
        @Override
        protected Map<String, List<String>> computeValue(Class<?> settings) {
            return read(settings.asSubclass(Record.class));
        }
    };

    private Sections() {}

    /** Sections of a stage in order; for those only handed on, the roles they shape. */
    static Map<String, List<String>> passedTo(Class<? extends Record> settings) {
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
    static boolean isRead(Class<? extends Record> settings, String section) {
        return KeyRecord.components(settings).stream()
                .filter(component -> KeyNames.snake(component.getName()).equals(section))
                .map(component -> component.getAnnotation(PassedTo.class))
                .anyMatch(passed -> passed == null || passed.readToo());
    }

    /** Sections of settings in order, without reading what is in them. */
    public static List<String> names(Class<? extends Record> settings) {
        return List.copyOf(passedTo(settings).keySet());
    }

    /** The settings as a tree, without the sections that these settings leave unread. */
    static <S extends Record> MapNode tree(StagePlanning<S> stage, S settings) {
        return without(RecordTree.of(settings), stage.unread(settings));
    }

    private static MapNode without(MapNode tree, List<String> sections) {
        MapNode left = tree;
        for (String section : sections) {
            left = left.without(section);
        }
        return left;
    }

    /** A composed tree without the sections that it leaves unread; as it is when it does not make settings yet. */
    public static <S extends Record> MapNode effective(StagePlanning<S> stage, MapNode tree) {
        try {
            return without(tree, stage.unread(Binder.bind(tree, stage.spec().settings())));
        } catch (StageException incomplete) {
            return tree;
        }
    }

    /** The tree without the sections that are only handed on. */
    static MapNode own(MapNode tree, Class<? extends Record> settings) {
        MapNode own = tree;
        for (Map.Entry<String, List<String>> section : passedTo(settings).entrySet()) {
            own = isRead(settings, section.getKey()) ? own : own.without(section.getKey());
        }
        return own;
    }

    /** The section that an override touches: its key up to the first dot, slash, {@code @} or {@code =}. */
    public static String of(String override) {
        return key(override).split("[./@]", 2)[0];
    }

    /** The key of an override, without prefix. */
    public static String key(String override) {
        int start = 0;
        while (start < override.length() && "+~".indexOf(override.charAt(start)) >= 0) {
            start++;
        }
        int end = override.indexOf('=', start);
        return override.substring(start, end < 0 ? override.length() : end).strip();
    }

    /**
     * The request as the upstream stage sees it: without the overrides of sections that it lacks, and without sections
     * that only share a name, such as {@code compat} where each of the two reproduces tools of its own.
     *
     * @param changes what its configuration has instead; overrides of sections that are replaced do not count there
     */
    static RunRequest project(
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

    /** A section that may be left out is the same section where it is there. */
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
