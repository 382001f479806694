package dev.stagesim.feature.trainplan;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.sim.training.Calibration;
import dev.stagesim.sim.training.SearchSpace;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.StrategySearch;
import dev.stagesim.sim.training.TrainingJob;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Reads measured steps of the user: one row per step, with the column names of {@code strategies.csv}. */
record MeasuredFile(LooseTable table, TrainPlanSettings settings, PlanRequest request) {
    private static final List<String> REQUIRED = List.of("tp", "pp", "zero", "micro_batch", "step_s");
    private static final List<String> OPTIONAL =
            List.of("devices", "vp", "cp", "ep", "shard", "recompute", "schedule", "sequence", "global_batch");

    /**
     * Reads the steps of a file and checks them against the rules of the planner.
     *
     * @throws StageException (input) with the line of the error
     */
    static List<Calibration.Measured> read(Path file, TrainPlanSettings settings, PlanRequest request)
            throws IOException {
        LooseTable table = LooseTable.read(file);
        List<String> known = new ArrayList<>(REQUIRED);
        known.addAll(OPTIONAL);
        for (String column : table.columns()) {
            if (!known.contains(column)) {
                throw StageException.input(Problem.artifact(file + ":1", "unknown column '" + column + "'")
                        .options(known)
                        .didYouMean(Suggest.near(column, known)));
            }
        }
        if (table.size() == 0) {
            throw StageException.input(Problem.artifact(file.toString(), "contains no step"));
        }
        MeasuredFile reader = new MeasuredFile(table, settings, request);
        List<Calibration.Measured> steps = new ArrayList<>();
        for (int row = 0; row < table.size(); row++) {
            steps.add(reader.step(row));
        }
        return steps;
    }

    private int number(int row, String column, int fallback) {
        if (!table.has(column) || table.isEmpty(row, column)) {
            return fallback;
        }
        int value = table.integer(row, column);
        if (value < (column.equals("zero") ? 0 : 1)) {
            throw wrong(row, column, "is below " + (column.equals("zero") ? 0 : 1));
        }
        return value;
    }

    private int required(int row, String column) {
        if (table.isEmpty(row, column)) {
            throw wrong(row, column, "is empty");
        }
        return number(row, column, 0);
    }

    private StageException wrong(int row, String column, String what) {
        return StageException.input(Problem.artifact(table.where(row), "column '" + column + "' " + what));
    }

    private Calibration.Measured step(int row) {
        double seconds = table.number(row, "step_s");
        if (seconds <= 0) {
            throw wrong(row, "step_s", "is not above 0");
        }
        TrainingJob job = request.job()
                .batch(
                        number(row, "sequence", settings.sequence()),
                        number(row, "global_batch", settings.batch().global()));
        StrategySearch.Result found = StrategySearch.run(
                request.model(), request.machine(), job, space(row), StrategySearch.Objective.STEP_TIME);
        if (found.best().isEmpty()) {
            throw StageException.input(Problem.artifact(
                            table.where(row),
                            "the step violates a rule: " + found.rejected().keySet())
                    .hint("specs/training-planner.md lists the rules"));
        }
        StrategySearch.Candidate candidate = found.best().get(0);
        return new Calibration.Measured(job, candidate.strategy(), candidate.layout(), seconds);
    }

    private SearchSpace space(int row) {
        int devices = number(row, "devices", settings.cluster().devices());
        int tensor = required(row, "tp");
        int pipeline = required(row, "pp");
        int virtual = number(row, "vp", 1);
        int zero = required(row, "zero");
        if (zero > 3) {
            throw wrong(row, "zero", "is above 3");
        }
        PipelineSchedule schedule = enumValue(
                row,
                "schedule",
                PipelineSchedule.values(),
                virtual > 1 ? PipelineSchedule.INTERLEAVED : PipelineSchedule.ONE_F_ONE_B);
        boolean isInterleaved = schedule == PipelineSchedule.INTERLEAVED && pipeline > 1;
        if (isInterleaved != virtual > 1) {
            throw wrong(
                    row,
                    "vp",
                    "is " + virtual + ", and " + schedule.id() + " with pp " + pipeline
                            + (isInterleaved ? " needs more than 1" : " has no virtual stages"));
        }
        return new SearchSpace(
                List.of(devices),
                new SearchSpace.Axes(
                        List.of(tensor),
                        List.of(pipeline),
                        virtual > 1 ? List.of(virtual) : List.of(),
                        List.of(number(row, "cp", 1)),
                        List.of(number(row, "ep", 1))),
                List.of(zero),
                List.of(number(row, "shard", Math.max(1, devices / (tensor * pipeline)))),
                List.of(required(row, "micro_batch")),
                List.of(enumValue(row, "recompute", Recompute.values(), Recompute.NONE)),
                List.of(pipeline == 1 ? PipelineSchedule.ONE_F_ONE_B : schedule),
                Double.POSITIVE_INFINITY,
                1);
    }

    private <E extends Enum<E>> E enumValue(int row, String column, E[] values, E fallback) {
        if (!table.has(column) || table.isEmpty(row, column)) {
            return fallback;
        }
        String text = table.text(row, column).toLowerCase(Locale.ROOT);
        return Arrays.stream(values)
                .filter(value -> KeyNames.constant(value).equals(text))
                .findFirst()
                .orElseThrow(() -> {
                    List<String> known =
                            Arrays.stream(values).map(KeyNames::constant).toList();
                    return StageException.input(
                            Problem.artifact(table.where(row), "unknown " + column + " '" + text + "'")
                                    .options(known)
                                    .didYouMean(Suggest.near(text, known)));
                });
    }
}
