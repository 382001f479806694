package dev.stagesim.pipeline;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.ConfigSnapshot;
import dev.stagesim.pipeline.request.Plan;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.pipeline.store.RunStore;
import dev.stagesim.stage.Effort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Pipeline operations that only sweeps and searches need: digests of planned runs, and access to runs in other
 * directories.
 */
public final class SweepRuns {
    private final RunStore store;
    private final RunReader reader;
    private final RunExecutor executor;
    private final Path home;

    SweepRuns(RunStore store, RunReader reader, RunExecutor executor, Path home) {
        this.store = store;
        this.reader = reader;
        this.executor = executor;
        this.home = home;
    }

    /** Returns the directory with one subdirectory per sweep. */
    public Path dir() {
        return store.root().resolve(RunStore.SWEEPS);
    }

    /**
     * The identity and expected cost of a planned run.
     *
     * @param digest digest of the settings and inputs of the whole chain, equal on every machine
     * @param effort expected cost of the run itself, without upstream runs
     * @param missing digests of the upstream runs that do not exist yet
     */
    public record PlannedCost(String digest, Effort effort, List<String> missing) {
        public PlannedCost {
            missing = List.copyOf(missing);
        }
    }

    /** Returns the identity and expected cost of a planned run. */
    public PlannedCost cost(PlannedRun<?> run) {
        return Pipeline.guarded(run.plan().name(), () -> {
            List<String> missing = new ArrayList<>();
            String digest = digest(run.plan(), run.options(), missing);
            return new PlannedCost(digest, run.plan().effort(), missing);
        });
    }

    /** Returns the digest of a plan. Adds the digests of upstream runs that do not exist yet. */
    private String digest(Plan<?> plan, RunOptions options, List<String> missing) throws IOException {
        List<RunMeta.Input> inputs = new ArrayList<>();
        for (Plan.Input input : plan.inputs()) {
            String digest;
            if (input.given().isPresent()) {
                digest = input.given().get().sha256();
            } else {
                RunOptions further = options.ofUpstream(input.upstream().further());
                digest = digest(input.made().orElseThrow(), further, missing);
                missing.add(digest);
            }
            inputs.add(new RunMeta.Input(input.upstream().role(), "", Optional.empty(), digest));
        }
        JsonValue.Obj params = RunIdentity.params(plan, inputs, reader, home);
        return RunIdentity.question(plan, params, inputs, "", options);
    }

    /** Executes the missing upstream runs of a run, but not the run itself. */
    public void prepare(PlannedRun<?> run) {
        Pipeline.guarded(run.plan().name(), () -> {
            for (Plan.Input input : run.plan().inputs()) {
                executor.input(input, run.options());
            }
            return run;
        });
    }

    /**
     * Deletes the directories that dead processes left in a stage's folder. A stage with only failing jobs never cleans
     * up otherwise.
     */
    public void tidy(String stage) throws IOException {
        store.tidy(stage);
    }

    /** Writes a configuration without running it, for {@code --config-snapshot}. */
    public void saveConfig(Path dir, PlannedRun<?> run) throws IOException {
        ConfigSnapshot.keep(dir, run.plan(), Map.of());
    }

    /**
     * Returns a finished run of this or another working directory, after verifying its artifacts.
     *
     * @throws StageException (input) if an artifact is missing or changed
     */
    public RunRef finished(Path dir) throws IOException {
        return reader.readVerified(dir, dir.toString());
    }

    /**
     * Imports a finished run of another working directory with its upstream runs. Existing runs are not replaced.
     *
     * @param dir the run's directory there, {@code .../tmp/<stage>/<run id>}
     * @return the imported run
     * @throws StageException (input) if an artifact is missing or changed
     */
    public RunRef adopt(Path dir) throws IOException {
        RunRef run = new RunImporter(store, reader).adopt(dir);
        executor.warn(run);
        return run;
    }

    /** Returns the directories of a run and of its upstream runs, if they are in one store. */
    public List<Path> withInputs(RunRef run) throws IOException {
        return new RunImporter(store, reader).withInputs(run);
    }
}
