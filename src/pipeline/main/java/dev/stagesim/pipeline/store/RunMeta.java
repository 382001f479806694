package dev.stagesim.pipeline.store;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The contents of {@code run_meta.json} of a finished run.
 *
 * @param runId id of the run
 * @param runType stage of the run
 * @param model full name of the model, if the run has one
 * @param hardware full name of the accelerator, if the run has one
 * @param startedAt ISO-8601 instant
 * @param endedAt ISO-8601 instant
 * @param gitCommit commit of the product checkout, {@code unknown} outside a checkout
 * @param gitDirty whether the checkout had changes; empty if unknown
 * @param env machine and versions
 * @param params the stage's own settings
 * @param config how the settings were composed
 * @param inputs inputs of the run
 * @param outputs outputs of the run, sorted by path
 * @param warnings warnings of this run and its upstream runs
 * @param headlines headline metrics
 * @param checks failed checks
 */
public record RunMeta(
        String runId,
        String runType,
        Optional<String> model,
        Optional<String> hardware,
        String startedAt,
        String endedAt,
        String gitCommit,
        Optional<Boolean> gitDirty,
        JsonValue.Obj env,
        JsonValue.Obj params,
        Config config,
        List<Input> inputs,
        List<Output> outputs,
        List<Warning> warnings,
        SortedMap<String, Double> headlines,
        List<Problem> checks) {
    /** Commit of the product checkout, {@code unknown} outside a checkout. {@code dirty} is empty if unknown. */
    public record Git(String commit, Optional<Boolean> dirty) {
        static final Git UNKNOWN = new Git("unknown", Optional.empty());
    }

    /** Directory of the configs, name of the primary config, and the overrides as typed. */
    public record Config(Optional<String> path, Optional<String> name, List<String> overrides) {}

    /** One input of the run. A plain file has no run id. */
    public record Input(String role, String path, Optional<String> runId, String sha256) {}

    /** One output file. Tables and JSON-lines files have rows. */
    public record Output(String path, String sha256, Optional<Long> rows) {}

    /** A warning and its stage: the run's own stage, or an upstream stage. */
    public record Warning(String stage, String message) {}

    public RunMeta {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        warnings = List.copyOf(warnings);
        headlines = Collections.unmodifiableSortedMap(new TreeMap<>(headlines));
        checks = List.copyOf(checks);
    }
}
