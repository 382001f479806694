package dev.stagesim.pipeline;

import dev.stagesim.contract.TableFormat;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.Oracle;
import dev.stagesim.stage.OracleContext;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Asks stages for figures without artifacts, as {@link Oracle}s; runs that they rest on are made once, and what they share
 * is kept for all questions. May be used by several threads.
 */
public final class Answers {
    private final Pipeline pipeline;
    /** Megabytes each; further ones are made again. */
    private static final int MOST_SHARED = 32;

    private final Map<Record, Object> shared = new ConcurrentHashMap<>();

    public Answers(Pipeline pipeline) {
        this.pipeline = pipeline;
    }

    /**
     * Figures that are known before anything is run.
     *
     * @throws StageException (input) when the stage is no oracle, or the settings cannot work
     */
    public SortedMap<String, Double> known(Stage<?> stage, RunRequest request) {
        return ask(stage, request, RunOptions.DEFAULT, (plan, oracle) -> oracle.known(plan.settings()));
    }

    /**
     * The figures of a run that is not made.
     *
     * @throws StageException (input) when the stage is no oracle, or such a run could not be made
     */
    public SortedMap<String, Double> figures(Stage<?> stage, RunRequest request) {
        return figures(stage, request, RunOptions.DEFAULT);
    }

    /** As {@link #figures(Stage, RunRequest)}, and refuses options that have no effect. */
    public SortedMap<String, Double> figures(Stage<?> stage, RunRequest request, RunOptions options) {
        refuse(options);
        return ask(stage, request, options, (plan, oracle) -> oracle.figures(plan.settings(), new Around(plan)));
    }

    /** The figures that are known soon, as {@link Oracle#estimates}. */
    public SortedMap<String, Double> estimates(Stage<?> stage, RunRequest request, RunOptions options) {
        refuse(options);
        return ask(stage, request, options, (plan, oracle) -> oracle.estimates(plan.settings(), new Around(plan)));
    }

    private static void refuse(RunOptions options) {
        if (options.format() != TableFormat.CSV) {
            throw StageException.input(Problem.of(
                    "usage error", "output.format", "has no effect: figures are asked for, and no run is made"));
        }
    }

    private interface Question {
        SortedMap<String, Double> of(Plan<Record> plan, Oracle<Record> oracle) throws IOException;
    }

    @SuppressWarnings("unchecked") // a stage's oracle takes the stage's settings
    private SortedMap<String, Double> ask(Stage<?> stage, RunRequest request, RunOptions options, Question question) {
        Stage<Record> typed = (Stage<Record>) stage;
        Oracle<Record> oracle = typed.oracle()
                .orElseThrow(() -> StageException.input(
                        Problem.of("usage error", stage.spec().name(), "answers with whole runs only")));
        try {
            return question.of(pipeline.plan(typed, request, options).plan(), oracle);
        } catch (IOException | UncheckedIOException e) {
            throw Pipeline.failure(stage.spec().name(), e);
        }
    }

    /** What one question is given. */
    private final class Around implements OracleContext {
        private final Plan<?> plan;

        Around(Plan<?> plan) {
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
            if (shared.size() >= MOST_SHARED) {
                shared.clear();
            }
            try {
                return (T) shared.computeIfAbsent(key, k -> {
                    try {
                        return making.make();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }
    }
}
