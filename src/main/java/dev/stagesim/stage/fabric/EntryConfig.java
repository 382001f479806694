package dev.stagesim.stage.fabric;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A catalog's entry as the section {@code workload} that spells it, for a configuration to be kept. */
final class EntryConfig {
    private static final Set<String> KEYS = Set.of(
            "name",
            "framework",
            "model_family",
            "params",
            "parallelism",
            "sequence",
            "precision",
            "dataloader",
            "duration_minutes",
            "track",
            "notes",
            "runtime_tuning",
            "schedule");
    private static final Map<String, Set<String>> NESTED = Map.of(
            "params", Set.of("hidden_size", "n_layers", "vocab_size", "n_heads"),
            "parallelism", Set.of("tp", "pp", "dp"),
            "sequence", Set.of("prompt", "generate"),
            "precision", Set.of("weights", "activations"),
            "runtime_tuning", Set.of("microbatch", "cuda_graphs", "gpudirect_rdma", "virt", "fabric"),
            "schedule", Set.of("default_request_profile", "phases"),
            "arrival", Set.of("requests_per_sec", "arrival_cv", "service_cv", "servers", "dp_override"));
    private static final Set<String> PHASE = Set.of(
            "name", "duration_minutes", "tokens_scale", "autoscale_factor", "request_profile", "arrival", "overrides");

    private EntryConfig() {}

    static Map<String, Object> of(JsonValue.Obj entry) {
        Map<String, Object> section = new LinkedHashMap<>();
        Map<String, Object> custom = new LinkedHashMap<>();
        section.put("kind", "catalog");
        entry.members().forEach((key, value) -> {
            if (KEYS.contains(key)) {
                section.put(key, value(key, value));
            } else {
                custom.put(key, value instanceof JsonValue.Str text ? text.value() : Json.compact(value));
            }
        });
        section.put("custom", custom);
        return section;
    }

    private static Object value(String key, JsonValue value) {
        if (value instanceof JsonValue.Obj object) {
            return key.equals("overrides") ? overrides(object) : members(object, NESTED.getOrDefault(key, PHASE));
        }
        if (value instanceof JsonValue.Arr array) {
            List<Object> items = new ArrayList<>();
            array.items().forEach(item -> items.add(value("phase", item)));
            return items;
        }
        if (value instanceof JsonValue.Str text) {
            return key.endsWith("request_profile") ? text.value().toLowerCase(java.util.Locale.ROOT) : text.value();
        }
        if (value instanceof JsonValue.Int number) {
            return number.value();
        }
        if (value instanceof JsonValue.Real number) {
            return number.value();
        }
        return value instanceof JsonValue.Bool flag ? flag.value() : Optional.empty();
    }

    private static Map<String, Object> members(JsonValue.Obj object, Set<String> known) {
        Map<String, Object> members = new LinkedHashMap<>();
        object.members().forEach((key, value) -> {
            if (known.contains(key)) {
                members.put(key, value(key, value));
            }
        });
        return members;
    }

    private static Map<String, Object> overrides(JsonValue.Obj object) {
        Map<String, Object> members = new LinkedHashMap<>();
        object.get("sequence").ifPresent(sequence -> members.put("sequence", value("sequence", sequence)));
        object.get("parallelism")
                .filter(JsonValue.Obj.class::isInstance)
                .flatMap(parallelism -> ((JsonValue.Obj) parallelism).get("dp"))
                .ifPresent(dp -> members.put("dp", value("dp", dp)));
        return members;
    }
}
