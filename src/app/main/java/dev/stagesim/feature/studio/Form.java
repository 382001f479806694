package dev.stagesim.feature.studio;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.KeyText;
import dev.stagesim.model.KeyVariants;
import dev.stagesim.model.Variant;
import dev.stagesim.model.VariantKey;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Keys of a stage with their declarations: the fields of the page's form, and the overrides that a page may send. */
final class Form {
    private static final String CONF = ".conf";
    private static final Set<Type> WHOLE = Set.of(int.class, long.class, Integer.class, Long.class);

    private final List<Field> fields = new ArrayList<>();

    /**
     * A key.
     *
     * @param path dotted name
     * @param doc description
     * @param def default as text; empty if there is none
     * @param unit unit, or empty
     * @param range legal range, or empty
     * @param options allowed values, each with its description; empty if any text is allowed
     * @param isPath true if the value is a file path
     * @param isWhole true if the value is an integer
     * @param when values of {@code kind} keys that enable this key, such as {@code scheduler.kind=vllm}
     */
    record Field(
            String path,
            String doc,
            String def,
            String unit,
            String range,
            Map<String, String> options,
            boolean isPath,
            boolean isWhole,
            List<String> when) {}

    private Form() {}

    /** Returns the keys of a stage's settings, in declaration order. */
    static List<Field> fields(Class<? extends Record> settings) {
        Form form = new Form();
        form.section(settings, "", List.of());
        return List.copyOf(form.fields);
    }

    static ApiResponse reply(Stage<?> stage, Path configs) throws IOException {
        List<JsonValue> keys = fields(stage.spec().settings()).stream()
                .map(field -> (JsonValue) dev.stagesim.io.json.RecordJson.write(field))
                .toList();
        List<JsonValue> groups = new ArrayList<>();
        for (RecordComponent component : KeyRecord.components(stage.spec().settings())) {
            String group = KeyNames.snake(component.getName());
            List<String> options = options(configs.resolve(group));
            if (!options.isEmpty()) {
                groups.add(JsonValue.object()
                        .put("name", group)
                        .put("doc", text(component).doc())
                        .put("options", JsonValue.strings(options))
                        .build());
            }
        }
        Map<String, JsonValue> shortKeys = new LinkedHashMap<>();
        ShortKeys.of(stage).forEach((key, paths) -> shortKeys.put(key, JsonValue.of(paths)));
        return ApiResponse.json(JsonValue.object()
                .put("stage", stage.spec().name())
                .put("doc", stage.spec().doc())
                .put("answers", WhatIf.answers(stage))
                .put("short_keys", JsonValue.of(shortKeys))
                .put("groups", JsonValue.of(groups))
                .put("fields", JsonValue.of(keys))
                .build());
    }

    /** Returns the options of a configuration group: the files in its folder. */
    private static List<String> options(Path group) throws IOException {
        if (!Files.isDirectory(group)) {
            return List.of();
        }
        return Directories.list(group, file -> file.toString().endsWith(CONF)).stream()
                .map(file -> file.getFileName().toString())
                .map(name -> name.substring(0, name.length() - CONF.length()))
                .sorted()
                .toList();
    }

    private void section(Class<?> record, String path, List<String> when) {
        for (RecordComponent component : KeyRecord.components(record)) {
            String at = KeyNames.join(path, KeyNames.snake(component.getName()));
            Type type = bare(component.getGenericType(), Optional.class);
            if (type instanceof Class<?> raw && raw.isRecord()) {
                section(raw, at, when);
            } else if (type instanceof Class<?> raw && KeyVariants.isChoice(raw)) {
                choice(raw, at, text(component), when);
            } else {
                leaf(at, component, type, when);
            }
        }
    }

    private void choice(Class<?> sealed, String path, KeyText text, List<String> when) {
        VariantKey named = sealed.getAnnotation(VariantKey.class);
        String key = named == null ? "kind" : named.value();
        String at = KeyNames.join(path, key);
        List<Class<?>> variants = variants(sealed).toList();
        Map<String, String> words = new java.util.TreeMap<>();
        variants.forEach(variant -> words.put(word(variant)[0], word(variant).length > 1 ? word(variant)[1] : ""));
        String def = Optional.ofNullable(text.def()).orElse("").replaceAll("[{}\\s]|\\w+\\s*=", "");
        fields.add(new Field(at, text.doc(), def, "", "", words, false, false, when));
        for (Class<?> variant : variants) {
            List<String> below = new ArrayList<>(when);
            below.add(at + "=" + word(variant)[0]);
            section(variant, path, List.copyOf(below));
        }
    }

    private static String[] word(Class<?> variant) {
        return variant.getAnnotation(Variant.class).value().split(" \\| ", 2);
    }

    private static Stream<Class<?>> variants(Class<?> type) {
        return type.isRecord() ? Stream.of(type) : KeyVariants.of(type).stream().flatMap(Form::variants);
    }

    private void leaf(String path, RecordComponent component, Type type, List<String> when) {
        KeyText text = text(component);
        Type element = bare(type, List.class);
        Map<String, String> words = new java.util.LinkedHashMap<>();
        KeyNames.allowedValues(component).forEach(word -> words.put(word, ""));
        if (words.isEmpty() && element == type && type instanceof Class<?> raw && raw.isEnum()) {
            KeyNames.constants(raw).forEach(word -> words.put(word, ""));
        } else if (type == boolean.class || type == Boolean.class) {
            words.putAll(Map.of("true", "", "false", ""));
        }
        String range = text.min().isEmpty() && text.max().isEmpty()
                ? ""
                : (text.above() ? ">" : "") + text.min() + ".." + text.max();
        String def = Optional.ofNullable(text.def()).orElse("");
        fields.add(new Field(
                path, text.doc(), def, text.unit(), range, words, element == Path.class, WHOLE.contains(type), when));
    }

    private static KeyText text(RecordComponent component) {
        return KeyText.of(component.getAnnotation(Key.class));
    }

    /** Returns the element type of an optional or a list, or the type itself. */
    private static Type bare(Type type, Class<?> around) {
        return type instanceof ParameterizedType generic && generic.getRawType() == around
                ? generic.getActualTypeArguments()[0]
                : type;
    }
}
