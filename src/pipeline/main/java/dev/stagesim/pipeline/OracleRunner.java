package dev.stagesim.pipeline;

import dev.stagesim.contract.TableFormat;
import dev.stagesim.io.background.Unchecked;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.Plan;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.stage.Oracle;
import dev.stagesim.stage.OracleContext;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs stages as {@link Oracle}s: returns metrics without artifacts. Upstream runs are made once, and shared values are
 * cached for all queries. Thread-safe.
 */
public final class OracleRunner {
    private final Pipeline pipeline;
    /** Maximum number of shared values. Each may take megabytes; further values are computed again. */
    private static final int MAX_SHARED = 32;

    private final Map<Record, Object> shared = new ConcurrentHashMap<>();
    private final Set<String> warnings = ConcurrentHashMap.newKeySet();

    public OracleRunner(Pipeline pipeline) {
        this.pipeline = pipeline;
    }

    /**
     * Returns the metrics that need no run.
     *
     * @throws StageException (input) if the stage is not an oracle, or the settings are invalid
     */
    public SortedMap<String, Double> known(Stage<?> stage, RunRequest request) {
        return query(stage, request, RunOptions.DEFAULT, (plan, oracle) -> oracle.known(plan.settings()));
    }

    /**
     * Returns the metrics of a run without making the run.
     *
     * @throws StageException (input) if the stage is not an oracle, or the run is not possible
     */
    public SortedMap<String, Double> figures(Stage<?> stage, RunRequest request) {
        return figures(stage, request, RunOptions.DEFAULT);
    }

    /** Like {@link #figures(Stage, RunRequest)}, but rejects options that have no effect. */
    public SortedMap<String, Double> figures(Stage<?> stage, RunRequest request, RunOptions options) {
        refuse(options);
        return query(
                stage, request, options, (plan, oracle) -> oracle.figures(plan.settings(), new QueryContext(plan)));
    }

    /** Returns fast estimates of the metrics, see {@link Oracle#estimates}. */
    public SortedMap<String, Double> estimates(Stage<?> stage, RunRequest request, RunOptions options) {
        refuse(options);
        return query(
                stage, request, options, (plan, oracle) -> oracle.estimates(plan.settings(), new QueryContext(plan)));
    }

    /** Reports the remarks about defaults that the run would report, see {@link Oracle#notes}. */
    public void notes(Stage<?> stage, RunRequest request) {
        query(
                        stage,
                        request,
                        RunOptions.DEFAULT,
                        (plan, oracle) -> oracle.notes(plan.settings(), new QueryContext(plan)))
                .forEach(note -> pipeline.listener().notice(stage.spec().name(), note));
    }

    private static void refuse(RunOptions options) {
        if (options.format() != TableFormat.CSV) {
            throw StageException.input(Problem.of(
                    "usage error", "output.format", "has no effect: only metrics are requested, and no run is made"));
        }
    }

    private interface Query<T> {
        T of(Plan<Record> plan, Oracle<Record> oracle) throws IOException;
    }

    @SuppressWarnings("unchecked") // a stage's oracle takes the stage's settings
    private <T> T query(Stage<?> stage, RunRequest request, RunOptions options, Query<T> query) {
        Stage<Record> typed = (Stage<Record>) stage;
        Oracle<Record> oracle = typed.oracle()
                .orElseThrow(() -> StageException.input(
                        Problem.of("usage error", stage.spec().name(), "supports only whole runs")));
        try {
            return query.of(pipeline.plan(typed, request, options).plan(), oracle);
        } catch (IOException | UncheckedIOException e) {
            throw Pipeline.failure(stage.spec().name(), e);
        }
    }

    /** The context of one query. */
    private final class QueryContext implements OracleContext {
        private final Plan<?> plan;

        QueryContext(Plan<?> plan) {
            this.plan = plan;
        }

        private Plan.Input at(String role) {
            return plan.inputs().stream()
                    .filter(input -> input.upstream().role().equals(role))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException(plan.name() + " has no input " + role));
        }

        @Override
        public Path home() {
            return pipeline.home();
        }

        @Override
        public Optional<Path> cache() {
            return Optional.of(pipeline.cache());
        }

        @Override
        public void warn(String message) {
            String stage = plan.stage().spec().name();
            if (warnings.add(stage + ": " + message)) {
                pipeline.listener().warning(stage, message);
            }
        }

        @Override
        public boolean isSet(String key) {
            return plan.request().isSet(key);
        }

        @Override
        public Optional<String> choice(String group) {
            return plan.request().choices().getOrDefault(group, Optional.empty());
        }

        @Override
        public Optional<Object> product(String role) throws IOException {
            Optional<Plan<?>> made = at(role).made();
            return made.isPresent() ? product(made.get()) : Optional.empty();
        }

        private <T extends Record> Optional<Object> product(Plan<T> made) throws IOException {
            return made.stage().product(made.settings(), pipeline.home());
        }

        @Override
        public RunInput input(String role) throws IOException {
            return pipeline.made(at(role)).input();
        }

        @Override
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // a key is used for one type
        public <T> T shared(Record key, Making<T> making) throws IOException {
            if (shared.size() >= MAX_SHARED) {
                shared.clear();
            }
            return (T) Unchecked.checked(() -> shared.computeIfAbsent(key, k -> Unchecked.get(making::make)));
        }
    }
}
