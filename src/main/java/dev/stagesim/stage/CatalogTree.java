package dev.stagesim.stage;

import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.io.fabric.Catalog;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.io.fabric.EntryReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.CatalogWorkload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The plain tree of a catalog's entry: as the YAML file has it, or as the settings spell it. Stages that run a workload ask
 * for it before anything runs.
 */
public final class CatalogTree {
    private final Map<String, JsonValue> members = new LinkedHashMap<>();

    private CatalogTree() {}

    /**
     * The tree, unchecked but for the file's own form.
     *
     * @param home product installation, as {@link StageContext#home()}
     */
    public static JsonValue.Obj of(CatalogWorkload settings, Path home) throws IOException {
        return settings.file().isPresent()
                ? fromFile(ShippedFiles.locate(settings.file().get(), home), settings.entry())
                : fromSettings(settings);
    }

    /**
     * The entry, checked, before a run has it; empty where a directory or file that is named does not exist, which others
     * tell.
     *
     * @param home product installation, as {@link StageContext#home()}
     */
    public static Optional<CatalogEntry> entry(CatalogWorkload settings, Path home) throws IOException {
        if (settings.dir().isPresent()) {
            Path kept = settings.dir().get().resolve(JsonArtifacts.CATALOG_ENTRY.name());
            return Files.isRegularFile(kept)
                    ? Optional.of(EntryReader.read(Json.read(kept).get("entry").object(), kept.toString()))
                    : Optional.empty();
        }
        Optional<Path> file = settings.file().map(given -> ShippedFiles.locate(given, home));
        if (file.filter(found -> !Files.isRegularFile(found)).isPresent()) {
            return Optional.empty();
        }
        return Optional.of(EntryReader.read(of(settings, home), source(settings)));
    }

    /** How messages name the entry. */
    public static String source(CatalogWorkload settings) {
        return settings.file()
                .map(file -> file
                        + settings.entry().map(name -> ": workload " + name).orElse(""))
                .orElse("workload");
    }

    /** Keys of an entry that the settings spell, besides parallelism, which always says something. */
    public static List<String> written(CatalogWorkload settings) {
        JsonValue.Obj tree = fromSettings(settings);
        CatalogWorkload.Parallelism usual = new CatalogWorkload.Parallelism(1, 1, 1);
        return tree.members().entrySet().stream()
                .filter(member -> !member.getValue().equals(JsonValue.EMPTY))
                .map(Map.Entry::getKey)
                .filter(key ->
                        !key.equals("parallelism") || !settings.parallelism().equals(usual))
                .toList();
    }

    private static JsonValue.Obj fromFile(Path file, Optional<String> name) throws IOException {
        List<String> names = Catalog.names(file);
        if (name.isEmpty() && names.size() != 1) {
            throw StageException.input(
                    Problem.of("config error", "workload.entry", file + " has " + names.size() + " entries; name one")
                            .options(names));
        }
        return Catalog.entry(file, "workload", name.orElseGet(() -> names.get(0)));
    }

    private static JsonValue.Obj fromSettings(CatalogWorkload settings) {
        CatalogTree tree = new CatalogTree();
        settings.custom().forEach((key, text) -> tree.members.put(key, JsonValue.of(text)));
        tree.text("name", settings.name())
                .text("framework", settings.framework())
                .text("model_family", settings.modelFamily())
                .put("params", params(settings.params()))
                .put("parallelism", parallelism(settings.parallelism()))
                .put("sequence", sequence(settings.sequence()))
                .put("precision", precision(settings.precision()))
                .text("dataloader", settings.dataloader())
                .real("duration_minutes", settings.durationMinutes())
                .text("track", settings.track().map(CatalogTree::lower))
                .text("notes", settings.notes());
        JsonValue.Obj tuning = tuning(settings.runtimeTuning());
        if (!tuning.members().isEmpty()) {
            tree.put("runtime_tuning", tuning);
        }
        if (!settings.schedule().phases().isEmpty()) {
            tree.put("schedule", schedule(settings.schedule()));
        }
        return tree.build();
    }

    private static JsonValue.Obj params(CatalogWorkload.Params params) {
        return new CatalogTree()
                .whole("hidden_size", params.hiddenSize())
                .whole("n_layers", params.nLayers())
                .whole("vocab_size", params.vocabSize())
                .whole("n_heads", params.nHeads())
                .build();
    }

    private static JsonValue.Obj parallelism(CatalogWorkload.Parallelism parallelism) {
        return new CatalogTree()
                .whole("tp", Optional.of(parallelism.tp()))
                .whole("pp", Optional.of(parallelism.pp()))
                .whole("dp", Optional.of(parallelism.dp()))
                .build();
    }

    private static JsonValue.Obj sequence(CatalogWorkload.Sequence sequence) {
        return new CatalogTree()
                .whole("prompt", sequence.prompt())
                .whole("generate", sequence.generate())
                .build();
    }

    private static JsonValue.Obj precision(CatalogWorkload.Precision precision) {
        return new CatalogTree()
                .text("weights", precision.weights())
                .text("activations", precision.activations())
                .build();
    }

    private static JsonValue.Obj tuning(CatalogWorkload.Tuning tuning) {
        return new CatalogTree()
                .whole("microbatch", tuning.microbatch())
                .flag("cuda_graphs", tuning.cudaGraphs())
                .flag("gpudirect_rdma", tuning.gpudirectRdma())
                .text("virt", tuning.virt().map(CatalogTree::lower))
                .text("fabric", tuning.fabric())
                .build();
    }

    private static JsonValue.Obj schedule(CatalogWorkload.Schedule schedule) {
        return new CatalogTree()
                .text(
                        "default_request_profile",
                        schedule.defaultRequestProfile().map(CatalogTree::lower))
                .put(
                        "phases",
                        JsonValue.of(schedule.phases().stream()
                                .map(CatalogTree::phase)
                                .toList()))
                .build();
    }

    private static JsonValue.Obj phase(CatalogWorkload.Phase phase) {
        CatalogTree tree = new CatalogTree()
                .text("name", phase.name())
                .real("duration_minutes", phase.durationMinutes())
                .real("tokens_scale", phase.tokensScale())
                .real("autoscale_factor", phase.autoscaleFactor())
                .text("request_profile", phase.requestProfile().map(CatalogTree::lower));
        JsonValue.Obj arrival = arrival(phase.arrival());
        if (!arrival.members().isEmpty()) {
            tree.put("arrival", arrival);
        }
        JsonValue.Obj overrides = overrides(phase.overrides());
        if (!overrides.members().isEmpty()) {
            tree.put("overrides", overrides);
        }
        return tree.build();
    }

    private static JsonValue.Obj arrival(CatalogWorkload.Arrival arrival) {
        return new CatalogTree()
                .real("requests_per_sec", arrival.requestsPerSec())
                .real("arrival_cv", arrival.arrivalCv())
                .real("service_cv", arrival.serviceCv())
                .whole("servers", arrival.servers())
                .whole("dp_override", arrival.dpOverride())
                .build();
    }

    private static JsonValue.Obj overrides(CatalogWorkload.Overrides overrides) {
        CatalogTree tree = new CatalogTree();
        JsonValue.Obj sequence = sequence(overrides.sequence());
        if (!sequence.members().isEmpty()) {
            tree.put("sequence", sequence);
        }
        overrides
                .dp()
                .ifPresent(dp -> tree.put(
                        "parallelism",
                        new CatalogTree().whole("dp", Optional.of(dp)).build()));
        return tree.build();
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private CatalogTree put(String key, JsonValue value) {
        members.put(key, value);
        return this;
    }

    private CatalogTree text(String key, Optional<String> value) {
        value.ifPresent(text -> members.put(key, JsonValue.of(text)));
        return this;
    }

    private CatalogTree whole(String key, Optional<Integer> value) {
        value.ifPresent(number -> members.put(key, JsonValue.of((long) number)));
        return this;
    }

    private CatalogTree flag(String key, Optional<Boolean> value) {
        value.ifPresent(flag -> members.put(key, JsonValue.of((boolean) flag)));
        return this;
    }

    /** Whole numbers stay whole. */
    private CatalogTree real(String key, Optional<Double> value) {
        value.ifPresent(number -> members.put(
                key, number == Math.rint(number) ? JsonValue.of(Math.round(number)) : JsonValue.of((double) number)));
        return this;
    }

    private JsonValue.Obj build() {
        return JsonValue.of(members);
    }
}
