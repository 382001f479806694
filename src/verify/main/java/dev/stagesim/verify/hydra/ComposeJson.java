package dev.stagesim.verify.hydra;

import dev.stagesim.config.compose.DefaultEntry;
import dev.stagesim.config.compose.DefaultsNode;
import dev.stagesim.io.json.JsonValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes compositions in the notation of the corpus. */
final class ComposeJson {
    /** Hydra's default name of the primary config. */
    private static final String NO_CONFIG = "_dummy_empty_config_";

    private ComposeJson() {}

    static JsonValue defaults(List<DefaultEntry> list) {
        return JsonValue.of(list.stream().map(ComposeJson::entry).toList());
    }

    private static JsonValue entry(DefaultEntry entry) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("config", JsonValue.of(entry.config()));
        members.put("package", JsonValue.of(entry.pkg()));
        members.put("parent", JsonValue.of(entry.parent()));
        entry.key().ifPresent(key -> members.put("key", JsonValue.of(key)));
        flag(members, "self", entry.self());
        flag(members, "primary", entry.primary());
        return JsonValue.of(members);
    }

    static JsonValue tree(DefaultsNode node) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("kind", JsonValue.of(node.kind().name().toLowerCase(java.util.Locale.ROOT)));
        boolean group = node.kind() == DefaultsNode.Kind.GROUP;
        members.put(group ? "group" : "path", JsonValue.of(node.name().equals("_empty_") ? NO_CONFIG : node.name()));
        if (group) {
            members.put("value", node.value().map(JsonValue::of).orElse(JsonValue.NULL));
        }
        node.pkg().ifPresent(pkg -> members.put("package", JsonValue.of(pkg)));
        flag(members, "optional", node.optional());
        flag(members, "deleted", node.deleted());
        flag(members, "external_append", node.appended());
        if (!node.children().isEmpty()) {
            members.put(
                    "children",
                    JsonValue.of(node.children().stream().map(ComposeJson::tree).toList()));
        }
        return JsonValue.of(members);
    }

    private static void flag(Map<String, JsonValue> members, String name, boolean value) {
        if (value) {
            members.put(name, JsonValue.of(true));
        }
    }

    static JsonValue choices(Map<String, Optional<String>> choices) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        choices.forEach(
                (key, option) -> members.put(key, option.map(JsonValue::of).orElse(JsonValue.NULL)));
        return JsonValue.of(members);
    }
}
