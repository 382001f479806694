package dev.stagesim.verify.hydra;

import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.config.compose.typed.TypeReader;
import dev.stagesim.config.compose.typed.TypedConfig;
import dev.stagesim.config.hocon.ConfigFileReader;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/** One config tree of the corpus, with its HOCON files in a separate directory. */
final class ComposeTree {
    private static final String ROOT = "{ROOT}";

    private final Path dir;
    private final ConfigEngine engine;
    private final Map<String, Source> sources = new LinkedHashMap<>();

    /**
     * Corpus data about one config.
     *
     * @param body the tree from YAML; empty if there is none
     * @param broken true if YAML rejects the text
     * @param tagged true if a value has a YAML tag
     * @param typedKeys true if YAML reads some keys as numbers or booleans
     */
    record Source(Optional<JsonValue> body, boolean broken, boolean tagged, boolean typedKeys) {
        private static final Pattern TAG = Pattern.compile("(?m)(^|[\\s:-])!!\\w+\\s");

        static Source of(LocatedJson config, Path folder) throws IOException {
            Path yaml = folder.resolve(
                    config.find("yaml_file").map(LocatedJson::asString).orElse("none"));
            return new Source(
                    config.find("body").map(LocatedJson::value),
                    config.has("yaml_error"),
                    Files.exists(yaml) && TAG.matcher(Files.readString(yaml)).find(),
                    config.has("notes") && config.get("notes").asStrings().contains("nonstring_keys"));
        }

        boolean isScalar() {
            return body.isPresent() && !(body.get() instanceof JsonValue.Obj) && !(body.get() instanceof JsonValue.Arr);
        }
    }

    private ComposeTree(Path dir, List<TypedConfig> typed) {
        this.dir = dir;
        this.engine = ConfigEngine.open(
                List.of(new SearchRoot("main", dir.resolve("main"))), typed, name -> Optional.empty());
    }

    static ComposeTree read(Path folder, Path dir) throws IOException {
        Path file = folder.resolve("tree.json");
        LocatedJson description = Json.read(file);
        ComposeTree tree = new ComposeTree(dir, typed(description, file, folder));
        for (LocatedJson config : description.get("configs").items()) {
            tree.write(config, folder);
        }
        return tree;
    }

    private void write(LocatedJson config, Path folder) throws IOException {
        String path = config.get("path").asString();
        sources.putIfAbsent(path, Source.of(config, folder));
        Path file = dir.resolve(config.get("root").asString()).resolve(path + ".conf");
        String text;
        if (config.has("hocon_file")) {
            text = Files.readString(folder.resolve(config.get("hocon_file").asString()));
        } else if (config.has("body") && config.get("body").value() instanceof JsonValue.Arr list) {
            text = "_value_ = " + Json.compact(list);
        } else {
            return; // HOCON cannot express this config
        }
        Files.createDirectories(file.resolveSibling("x").getParent());
        Files.writeString(file, (config.has("header_error") ? "# @package\n" : "") + filled(text));
    }

    private static List<TypedConfig> typed(LocatedJson description, Path file, Path folder) {
        List<TypedConfig> configs = new ArrayList<>();
        if (description.has("schema_store")) {
            // read as a config, because the order of the keys is significant
            MapNode declarations = ConfigFileReader.read(file, folder).body();
            TypeReader types = new TypeReader((MapNode) Objects.requireNonNull(declarations.get("schemas")));
            for (LocatedJson stored : description.get("schema_store").items()) {
                String group =
                        stored.find("group").map(name -> name.asString() + "/").orElse("");
                configs.add(types.config(
                        group + stored.get("name").asString(),
                        stored.get("schema").asString()));
            }
        }
        return configs;
    }

    ConfigEngine engine() {
        return engine;
    }

    /** Returns the data about a config, or empty if the tree does not contain it. */
    Optional<Source> source(String path) {
        return Optional.ofNullable(sources.get(path));
    }

    /** Returns the text with the tree's folder in place of the placeholder. */
    String filled(String text) {
        return text.replace(ROOT, dir.toString());
    }

    JsonValue filled(JsonValue value) {
        if (value instanceof JsonValue.Str text) {
            return JsonValue.of(filled(text.value()));
        }
        if (value instanceof JsonValue.Arr list) {
            return JsonValue.of(list.items().stream().map(this::filled).toList());
        }
        if (value instanceof JsonValue.Obj object) {
            Map<String, JsonValue> members = new LinkedHashMap<>();
            object.members().forEach((key, member) -> members.put(key, filled(member)));
            return JsonValue.of(members);
        }
        return value;
    }
}
