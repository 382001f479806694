package dev.stagesim.feature.fabric;

import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Suggest;
import dev.stagesim.model.card.ModelFeature;
import dev.stagesim.sim.trace.generate.TrainingCost;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds inputs of a workload that the selected model ignores, for warnings. */
final class UnsupportedInputs {
    private static final List<String> SIXTEEN_BITS = List.of("bf16", "fp16", "bfloat16", "float16");
    private static final String SCHEDULE = "schedule";
    private static final String ARRIVAL = "arrival";
    private static final String OVERRIDES = "overrides";
    private static final String REQUEST_PROFILE = "request_profile";
    private static final List<String> TUNING_KEYS =
            List.of("microbatch", "cuda_graphs", "gpudirect_rdma", "virt", "fabric");
    private static final List<String> SCHEDULE_KEYS = List.of("default_request_profile", "phases");
    private static final List<String> PHASE_KEYS = List.of(
            "name", "duration_minutes", "tokens_scale", "autoscale_factor", REQUEST_PROFILE, ARRIVAL, OVERRIDES);
    private static final List<String> ARRIVAL_KEYS =
            List.of("requests_per_sec", "arrival_cv", "service_cv", "servers", "dp_override");
    private static final List<String> OVERRIDE_KEYS = List.of("sequence", "parallelism");

    private final CatalogEntry entry;
    private final boolean closed;
    private final List<String> warnings = new ArrayList<>();

    private UnsupportedInputs(CatalogEntry entry, boolean closed) {
        this.entry = entry;
        this.closed = closed;
    }

    /**
     * Describes ignored inputs in the order of the entry.
     *
     * @param closed true for the closed-form model, which uses runtime settings
     */
    static List<String> in(CatalogEntry entry, boolean closed) {
        return new UnsupportedInputs(entry, closed).all();
    }

    /** True if simulations ignore a runtime setting; training simulations use the microbatch. */
    static boolean isIgnored(String key, boolean served) {
        return served || !key.equals("microbatch");
    }

    /** Returns the features of a model card that a source of step times includes. */
    static Set<ModelFeature> modelled(CatalogEntry entry, FabricStageSettings.Source source) {
        return switch (source) {
            case SEMI_EMPIRICAL -> EnumSet.complementOf(EnumSet.of(ModelFeature.STORAGE));
            case SIMULATED -> entry.isServed() ? EnumSet.allOf(ModelFeature.class) : TrainingCost.MODELLED;
            case MEASURED -> EnumSet.allOf(ModelFeature.class);
        };
    }

    private List<String> all() {
        String precision = entry.weights();
        if (!SIXTEEN_BITS.contains(precision)) {
            warnings.add("precision.weights = " + precision + " is not modelled: all values have 16 bits");
        }
        entry.phases().forEach(this::phase);
        section(entry.tree(), "runtime_tuning").ifPresent(this::tuning);
        section(entry.tree(), SCHEDULE).ifPresent(this::schedule);
        return warnings;
    }

    private void tuning(JsonValue.Obj tuning) {
        unknown(tuning, "runtime_tuning.", TUNING_KEYS);
        for (String key : TUNING_KEYS) {
            if (!closed && given(tuning, key) && isIgnored(key, entry.isServed())) {
                warnings.add("runtime_tuning." + key + " has an effect only with source=semi_empirical or compat=atlas"
                        + (entry.isServed() ? "; scheduler sets the batches" : ""));
            }
        }
    }

    private void phase(CatalogEntry.Phase phase) {
        String name = "phase " + phase.name() + ": ";
        CatalogEntry.Phase first = entry.phases().get(0);
        if (phase.servers().isPresent()) {
            warnings.add(name + "arrival.servers has an effect only with compat=atlas");
        }
        if (phase.serviceVariation().isPresent()) {
            warnings.add(name
                    + "arrival.service_cv has an effect only with compat=atlas; service times follow from the model");
        }
        if (entry.isServed() && phase.autoscale() != 1) {
            warnings.add(name + "autoscale_factor has no effect; autoscale sets the nodes");
        }
        if (!entry.isServed() && (phase.prompt() != first.prompt() || phase.copies() != first.copies())) {
            warnings.add(name + "all phases train with the sequences and copies of the first one");
        }
    }

    private void schedule(JsonValue.Obj schedule) {
        unknown(schedule, SCHEDULE + ".", SCHEDULE_KEYS);
        if (!(schedule.get("phases").orElse(null) instanceof JsonValue.Arr phases)) {
            return;
        }
        for (int i = 0; i < phases.items().size(); i++) {
            if (phases.items().get(i) instanceof JsonValue.Obj phase) {
                keys(phase, SCHEDULE + ".phases." + i + ".");
            }
        }
    }

    private void keys(JsonValue.Obj phase, String path) {
        unknown(phase, path, PHASE_KEYS);
        section(phase, ARRIVAL).ifPresent(arrival -> {
            unknown(arrival, path + ARRIVAL + ".", ARRIVAL_KEYS);
            if (!entry.isServed() && arrival.members().values().stream().anyMatch(UnsupportedInputs::isGiven)) {
                warnings.add(path + ARRIVAL + " has no effect: a training workload serves no requests");
            }
            if (entry.isServed() && given(arrival, "requests_per_sec") && given(arrival, "dp_override")) {
                warnings.add(path + "arrival.dp_override has no effect with requests_per_sec");
            }
        });
        section(phase, OVERRIDES).ifPresent(overrides -> {
            unknown(overrides, path + OVERRIDES + ".", OVERRIDE_KEYS);
            section(overrides, "sequence")
                    .ifPresent(keys -> unknown(keys, path + "overrides.sequence.", List.of("prompt", "generate")));
            section(overrides, "parallelism")
                    .ifPresent(keys -> unknown(keys, path + "overrides.parallelism.", List.of("dp")));
        });
        if (!entry.isServed() && given(phase, REQUEST_PROFILE)) {
            warnings.add(path + REQUEST_PROFILE + " has no effect: a training workload serves no requests");
        }
    }

    private void unknown(JsonValue.Obj from, String path, List<String> known) {
        for (String key : from.members().keySet()) {
            if (!known.contains(key) && given(from, key)) {
                List<String> near = Suggest.near(key, known);
                warnings.add(path + key + " is kept but has no effect"
                        + (near.isEmpty() ? "" : "; did you mean " + String.join(", ", near) + "?"));
            }
        }
    }

    private static Optional<JsonValue.Obj> section(JsonValue.Obj from, String key) {
        return from.get(key).filter(JsonValue.Obj.class::isInstance).map(JsonValue.Obj.class::cast);
    }

    private static boolean given(JsonValue.Obj from, String key) {
        return from.get(key).filter(UnsupportedInputs::isGiven).isPresent();
    }

    private static boolean isGiven(JsonValue value) {
        return !(value instanceof JsonValue.Null);
    }
}
