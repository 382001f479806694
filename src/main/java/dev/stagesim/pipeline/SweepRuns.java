package dev.stagesim.pipeline;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.Effort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What sweeps and searches ask of a pipeline besides runs: what a run would be, and the runs of other directories. */
public final class SweepRuns {
    private final RunStore store;
    private final RunReader reader;
    private final RunMaker maker;
    private final Path home;

    SweepRuns(RunStore store, RunReader reader, RunMaker maker, Path home) {
        this.store = store;
        this.reader = reader;
        this.maker = maker;
        this.home = home;
    }

    /** Where the sweeps are, one directory each. */
    public Path dir() {
        return store.root().resolve(RunStore.SWEEPS);
    }

    /**
     * What a run asks.
     *
     * @param digest of the settings and inputs of the whole chain; the same question has the same on every machine
     * @param effort what the run itself is expected to take, those it rests on left out
     * @param rests digests of the questions of the runs it is made from, where they are yet to be made
     */
    public record Question(String digest, Effort effort, List<String> rests) {
        public Question {
            rests = List.copyOf(rests);
        }

        /** A question that rests on nothing. */
        public Question(String digest, Effort effort) {
            this(digest, effort, List.of());
        }
    }

    /** Tells what a run asks. */
    public Question question(PlannedRun<?> run) {
        return Pipeline.guarded(run.plan().name(), () -> {
            List<String> rests = new ArrayList<>();
            String digest = question(run.plan(), run.options(), rests);
            return new Question(digest, run.plan().effort(), rests);
        });
    }

    /** Digest of what a plan asks; adds those of the runs to be made that it rests on. */
    private String question(Plan<?> plan, RunOptions options, List<String> rests) throws IOException {
        List<RunMeta.Input> inputs = new ArrayList<>();
        for (Plan.Input input : plan.inputs()) {
            String digest;
            if (input.given().isPresent()) {
                digest = input.given().get().sha256();
            } else {
                RunOptions further = options.ofInput(input.upstream().further());
                digest = question(input.made().orElseThrow(), further, rests);
                rests.add(digest);
            }
            inputs.add(new RunMeta.Input(input.upstream().role(), "", Optional.empty(), digest));
        }
        JsonValue.Obj params = RunIdentity.params(plan, inputs, reader, home);
        return RunIdentity.question(plan, params, inputs, "", options);
    }

    /** Makes the runs that a run rests on, unless they are there, and not the run itself. */
    public void prepare(PlannedRun<?> run) {
        Pipeline.guarded(run.plan().name(), () -> {
            for (Plan.Input input : run.plan().inputs()) {
                maker.input(input, run.options());
            }
            return run;
        });
    }

    /** Deletes what processes that died have left of a stage's runs, which may be of jobs that only fail. */
    public void tidy(String stage) throws IOException {
        store.tidy(stage);
    }

    /** Keeps a configuration that is yet to be run, for {@code --config-snapshot}. */
    public void keepConfig(Path dir, PlannedRun<?> run) throws IOException {
        ConfigSnapshot.keep(dir, run.plan(), Map.of());
    }

    /**
     * A finished run of this or another working directory, its artifacts compared with their digests.
     *
     * @throws StageException (input) when it is not whole
     */
    public RunRef finished(Path dir) throws IOException {
        return reader.whole(dir, dir.toString());
    }

    /**
     * Takes a finished run of another working directory over, and the runs beside it that it was made from; what is here
     * already stays.
     *
     * @param dir the run's directory there, {@code .../tmp/<stage>/<run id>}
     * @return the run here
     * @throws StageException (input) when it is not whole
     */
    public RunRef adopt(Path dir) throws IOException {
        RunRef run = new RunAdoption(store, reader).adopt(dir);
        maker.warn(run);
        return run;
    }

    /** The directory of a run and of those that it was made from, if they are in one place. */
    public List<Path> withInputs(RunRef run) throws IOException {
        return new RunAdoption(store, reader).withInputs(run);
    }
}
