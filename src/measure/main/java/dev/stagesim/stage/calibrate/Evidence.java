package dev.stagesim.stage.calibrate;

import dev.stagesim.bench.MeasuredTables;
import dev.stagesim.contract.Tables;
import dev.stagesim.measure.CalibrateSettings;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.RunInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Measurements that a calibration uses: requests of one or several runs, and steps that an engine logged.
 *
 * @param runs runs with requests
 * @param steps logged steps; there may be none
 */
record Evidence(List<CalibrationData> runs, LoggedSteps steps) {
    Evidence {
        runs = List.copyOf(runs);
    }

    static Evidence read(List<RunInput> inputs, CalibrateSettings fit) throws IOException {
        List<CalibrationData> runs = new ArrayList<>();
        LoggedSteps steps = LoggedSteps.NONE;
        Set<String> seen = new HashSet<>();
        for (RunInput run : inputs) {
            if (!seen.add(run.runId())) {
                throw StageException.input(
                        Problem.config("calibrate.runs", run.runId() + " occurs twice in real.dir and calibrate.runs")
                                .hint("omit it: a prediction of an unseen load must not be fitted to the same run"));
            }
            boolean hasSteps = run.has(MeasuredTables.ENGINE_STEPS.name());
            if (hasSteps) {
                steps = steps.and(LoggedSteps.read(run, fit.holdOut()));
            }
            if (run.has(Tables.REQUEST_METRICS.name())) {
                runs.add(CalibrationData.read(run, fit.holdOut(), fit.seed()));
            } else if (!hasSteps) {
                throw StageException.input(Problem.of(
                                "not comparable",
                                run.runId(),
                                "has aggregates only: there are no requests or steps to fit to")
                        .hint("use a result with requests, or an engine's log with the time of each step"));
            }
        }
        if (runs.isEmpty() && steps.fitted().isEmpty()) {
            throw StageException.input(Problem.of(
                    "not comparable",
                    inputs.get(0).runId(),
                    "has too few logged steps for a fit; it needs " + LoggedSteps.MIN_STEPS
                            + " steps with prompts or without"));
        }
        return new Evidence(runs, steps);
    }

    /** Returns whether the time between two steps can be separated from the time of a step. */
    boolean separatesGap() {
        return !runs.isEmpty() && !steps.fitted().isEmpty();
    }

    /** Returns the longest request in tokens, or {@code otherwise} without requests. */
    int longest(int otherwise) {
        return runs.stream().mapToInt(run -> run.input().longest()).max().orElse(otherwise);
    }

    /** Returns the number of completed requests. */
    int requests() {
        return runs.stream().mapToInt(run -> run.times().size()).sum();
    }

    int requests(boolean heldOut) {
        return runs.stream().mapToInt(run -> run.part(heldOut).size()).sum();
    }

    int leftAside() {
        return runs.stream().mapToInt(CalibrationData::leftAside).sum();
    }

    /** Returns the mean context of a decoding request in tokens; 1 without requests. */
    int meanContext() {
        double tokens = 0;
        double contexts = 0;
        for (CalibrationData run : runs) {
            for (int i = 0; i < run.input().trace().size(); i++) {
                double decode = run.input().trace().decodeTokens(i);
                tokens += decode;
                contexts += decode * (run.input().trace().prefillTokens(i) + decode / 2);
            }
        }
        return tokens > 0 ? (int) Math.max(1, Math.round(contexts / tokens)) : 1;
    }

    /**
     * Returns all requests of the other runs for a fit to which the load of one run is unseen. Logged steps are excluded,
     * because they may be those of the run.
     */
    Evidence without(int run) {
        return new Evidence(
                IntStream.range(0, runs.size())
                        .filter(i -> i != run)
                        .mapToObj(i -> runs.get(i).withoutHeldOut())
                        .toList(),
                LoggedSteps.NONE);
    }

    /** Divides the requests of all runs into parts, and returns one split per part with that part as validation set. */
    List<Evidence> folds(int count, long seed) {
        List<List<CalibrationData>> split =
                runs.stream().map(run -> run.folds(count, seed)).toList();
        return IntStream.range(0, count)
                .mapToObj(fold -> new Evidence(
                        split.stream().map(folds -> folds.get(fold)).toList(), steps))
                .toList();
    }
}
