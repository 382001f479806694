package dev.stagesim.pipeline;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What {@code run_meta.json} says of a finished run.
 *
 * @param runId name of the run
 * @param runType stage that made it
 * @param model full name of the model, if the run is about one
 * @param hardware full name of the accelerator, if the run is about one
 * @param startedAt ISO-8601 instant
 * @param endedAt ISO-8601 instant
 * @param gitCommit commit of the product checkout, {@code unknown} outside one
 * @param gitDirty whether the checkout had changes; empty when unknown
 * @param env machine and versions
 * @param params the stage's own settings
 * @param config how the settings were composed
 * @param inputs what it read
 * @param outputs what it wrote, sorted by path
 * @param warnings what the user should know, of this run and of the runs it was made from
 * @param headlines headline figures
 * @param checks checks that did not hold
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
    /** Commit of the product checkout, {@code unknown} outside one; dirty is empty when unknown. */
    public record Git(String commit, Optional<Boolean> dirty) {
        static final Git UNKNOWN = new Git("unknown", Optional.empty());
    }

    /** Where the configs were, the primary config's name, and the overrides as typed. */
    public record Config(Optional<String> path, Optional<String> name, List<String> overrides) {}

    /** One thing the run read; a plain file has no run id. */
    public record Input(String role, String path, Optional<String> runId, String sha256) {}

    /** One file the run wrote; rows of tables and JSON-lines files. */
    public record Output(String path, String sha256, Optional<Long> rows) {}

    /** A warning and the stage that gave it: the run's own, or one that the run was made from. */
    public record Warning(String stage, String message) {}

    public RunMeta {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        warnings = List.copyOf(warnings);
        headlines = Collections.unmodifiableSortedMap(new TreeMap<>(headlines));
        checks = List.copyOf(checks);
    }
}
