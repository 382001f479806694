package dev.stagesim.verify.hydra;

import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.compose.SearchRoot;
import dev.stagesim.config.compose.typed.TypeReader;
import dev.stagesim.config.compose.typed.TypedConfig;
import dev.stagesim.config.hocon.ConfigFileReader;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** One config tree of the corpus, its HOCON files laid out in a directory of their own. */
final class ComposeTree {
    private static final String ROOT = "{ROOT}";

    private final Path dir;
    private final JsonAt description;
    private final ConfigEngine engine;
    /** Configs that HOCON cannot express. */
    private final Set<String> inexpressible = new LinkedHashSet<>();

    private ComposeTree(Path dir, JsonAt description, List<TypedConfig> typed) {
        this.dir = dir;
        this.description = description;
        this.engine = ConfigEngine.open(
                List.of(new SearchRoot("main", dir.resolve("main"))), typed, name -> Optional.empty());
    }

    static ComposeTree read(Path folder, Path dir) throws IOException {
        Path file = folder.resolve("tree.json");
        JsonAt description = Json.read(file);
        ComposeTree tree = new ComposeTree(dir, description, typed(description, file, folder));
        for (JsonAt config : tree.description.get("configs").items()) {
            tree.write(config, folder);
        }
        return tree;
    }

    private void write(JsonAt config, Path folder) throws IOException {
        String path = config.get("path").asString();
        Path file = dir.resolve(config.get("root").asString()).resolve(path + ".conf");
        String text;
        if (config.has("hocon_file")) {
            text = Files.readString(folder.resolve(config.get("hocon_file").asString()));
        } else if (config.has("body") && config.get("body").value() instanceof JsonValue.Arr list) {
            text = "_value_ = " + Json.compact(list);
        } else {
            inexpressible.add(path);
            return;
        }
        Files.createDirectories(file.resolveSibling("x").getParent());
        Files.writeString(file, (config.has("header_error") ? "# @package\n" : "") + filled(text));
    }

    private static List<TypedConfig> typed(JsonAt description, Path file, Path folder) {
        List<TypedConfig> configs = new ArrayList<>();
        if (description.has("schema_store")) {
            // read as a config, because the order of the keys counts
            MapNode declarations = ConfigFileReader.read(file, folder).body();
            TypeReader types = new TypeReader((MapNode) Objects.requireNonNull(declarations.get("schemas")));
            for (JsonAt stored : description.get("schema_store").items()) {
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

    boolean isInexpressible(String path) {
        return inexpressible.contains(path);
    }

    /** True when a config of this tree has keys that are no strings. */
    boolean hasTypedKeys() {
        return description.get("configs").items().stream()
                .anyMatch(config ->
                        config.has("notes") && config.get("notes").asStrings().contains("nonstring_keys"));
    }

    /** The text with the placeholder for the tree's folder filled in. */
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

    void delete() throws IOException {
        if (!Files.exists(dir)) {
            return;
        }
        List<Path> paths;
        try (Stream<Path> walk = Files.walk(dir)) {
            paths = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : paths) {
            Files.delete(path);
        }
    }
}
