package dev.stagesim.feature.fabric;

import dev.stagesim.capacity.CatalogWorkload;
import dev.stagesim.feature.fabric.performance.TargetPlacement;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageContext.SameAs;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Saves the configuration of the winner. */
final class WinnerConfig {
    /** Directory of the saved configuration in the run. */
    static final String FOLDER = "winner";

    private WinnerConfig() {}

    static void keep(FabricStageSettings settings, FabricResult result, StageContext context) throws IOException {
        FabricPlan plan = result.winner().orElseThrow().plan();
        context.saveConfig(FOLDER, changes(settings, plan, result.entry()));
    }

    static Map<String, Object> changes(FabricStageSettings settings, FabricPlan plan, CatalogEntry entry) {
        TargetPlacement deployment = plan.deployment();
        int nodes = (int) plan.metric(FabricPlan.NODES);
        int copies = plan.detail() > 0
                ? Math.max(1, nodes * deployment.target().acceleratorsPerNode() / deployment.devices())
                : deployment.copies(nodes);
        Map<String, Object> changes = new LinkedHashMap<>();
        boolean written = settings.workload() instanceof CatalogWorkload catalog
                && catalog.dir().isEmpty()
                && catalog.source().file().isEmpty();
        if (!written) {
            changes.put("workload", EntryConfig.of(entry.tree()));
        }
        if (settings.machines().targets().containsKey(deployment.id())) {
            changes.put("target", new SameAs("targets." + deployment.id()));
            changes.put("hardware", new SameAs("targets." + deployment.id() + ".device"));
        }
        changes.put("target.num_nodes", nodes);
        changes.put("workload.parallelism.tp", deployment.tp());
        changes.put("workload.parallelism.pp", deployment.pp());
        changes.put("workload.parallelism.dp", copies);
        changes.put("cluster.tensor_parallel_size", deployment.tp());
        changes.put("cluster.num_pipeline_stages", deployment.pp());
        changes.put("cluster.replicas", copies);
        changes.put("optimize", false);
        if (plan.detail() > 0) {
            changes.put("tuning.microbatch", plan.detail());
            // A given step belongs to the stated devices, not to the devices of the winner.
            changes.put("train.dir", Optional.empty());
        } else {
            scheduler(settings.serving().scheduler(), deployment.scheduler(), changes);
            changes.put("autoscale.target_utilization", plan.load());
        }
        if (entry.best()) {
            changes.put("track", "parity");
        } else {
            changes.put(
                    "track",
                    settings.machines().track().map(track -> (Object) "parity").orElse(Optional.empty()));
        }
        return changes;
    }

    /**
     * Adds the differences between the scheduler of the winner and the stated one, or the whole section if they have
     * different kinds.
     */
    private static void scheduler(SchedulerSettings stated, SchedulerSettings chosen, Map<String, Object> changes) {
        Class<? extends Record> type = chosen.getClass().asSubclass(Record.class);
        boolean isKept = type.isInstance(stated);
        Object base = isKept ? stated : KeyRecord.defaults(type);
        Map<String, Object> section = new LinkedHashMap<>();
        for (RecordComponent component : KeyRecord.components(type)) {
            Object value = KeyRecord.value(component, chosen);
            if (!value.equals(KeyRecord.value(component, base))) {
                section.put(
                        KeyNames.snake(component.getName()),
                        value instanceof Optional<?> set && set.isPresent() ? set.get() : value);
            }
        }
        if (isKept) {
            section.forEach((key, value) -> changes.put("scheduler." + key, value));
        } else {
            Map<String, Object> whole = new LinkedHashMap<>(Map.of("kind", KeyRecord.kind(type)));
            whole.putAll(section);
            changes.put("scheduler", whole);
        }
    }

    /** Converts a catalog entry to the section {@code workload}, for saved configurations. */
    static final class EntryConfig {
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
                "name",
                "duration_minutes",
                "tokens_scale",
                "autoscale_factor",
                "request_profile",
                "arrival",
                "overrides");

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
}
