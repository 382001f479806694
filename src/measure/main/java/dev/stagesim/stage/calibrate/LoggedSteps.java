package dev.stagesim.stage.calibrate;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.bench.MeasuredTables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.measured.Operations.Step;
import dev.stagesim.sim.serving.metrics.StepWork;
import dev.stagesim.sim.serving.replica.StepTimes;
import dev.stagesim.stage.RunInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Steps that an engine logged. Steps of similar size form a group, and the mean time of a group is one observation. A mean
 * keeps the total time, which a fit to relative errors of single steps underestimates if a few steps are much slower.
 *
 * @param fitted groups of the steps of the fit
 * @param heldOut groups of the last steps of the log, for validation
 */
record LoggedSteps(List<Group> fitted, List<Group> heldOut) {
    static final LoggedSteps NONE = new LoggedSteps(List.of(), List.of());

    private static final int MAX_GROUPS = 48;
    /** Minimum steps of a group. */
    static final int MIN_STEPS = 8;

    LoggedSteps {
        fitted = List.copyOf(fitted);
        heldOut = List.copyOf(heldOut);
    }

    static LoggedSteps read(RunInput run, double holdOut) throws IOException {
        List<Step> steps = new ArrayList<>();
        TableReader.forEach(
                run.file(MeasuredTables.ENGINE_STEPS.name()),
                MeasuredTables.ENGINE_STEPS,
                row -> steps.add(new Step(
                        row.stringAt("engine"),
                        row.longAt("iteration"),
                        row.longAt("prefill_requests"),
                        row.longAt("prefill_tokens"),
                        row.longAt("decode_requests"),
                        row.longAt("decode_tokens"),
                        row.isEmpty("cached_tokens") ? Step.UNKNOWN : row.longAt("cached_tokens"),
                        row.doubleAt("time_ns"))));
        int fit = (int) Math.round(steps.size() * (1 - holdOut));
        return new LoggedSteps(groups(steps.subList(0, fit)), groups(steps.subList(fit, steps.size())));
    }

    LoggedSteps and(LoggedSteps other) {
        return new LoggedSteps(
                Stream.concat(fitted.stream(), other.fitted.stream()).toList(),
                Stream.concat(heldOut.stream(), other.heldOut.stream()).toList());
    }

    int steps(boolean isHeldOut) {
        return (isHeldOut ? heldOut : fitted)
                .stream().mapToInt(group -> group.steps().size()).sum();
    }

    /** Returns the largest number of requests in a step; 0 without steps. */
    long maxRequests() {
        return fitted.stream()
                .flatMap(group -> group.steps().stream())
                .mapToLong(Step::requests)
                .max()
                .orElse(0);
    }

    private static List<Group> groups(List<Step> steps) {
        List<Group> groups = new ArrayList<>();
        for (boolean isPrefill : new boolean[] {false, true}) {
            List<Step> sorted = steps.stream()
                    .filter(step -> step.prefillRequests() > 0 == isPrefill)
                    .sorted(Comparator.comparingLong(Step::prefillTokens)
                            .thenComparingLong(Step::decodeRequests)
                            .thenComparingLong(Step::cachedTokens))
                    .toList();
            int count = Math.min(MAX_GROUPS, sorted.size() / MIN_STEPS);
            for (int i = 0; i < count; i++) {
                groups.add(new Group(
                        isPrefill, sorted.subList(i * sorted.size() / count, (i + 1) * sorted.size() / count)));
            }
        }
        return groups;
    }

    /**
     * Steps of similar size.
     *
     * @param isPrefill true if all of them have prompts, false if none has
     */
    record Group(boolean isPrefill, List<Step> steps) {
        Group {
            steps = List.copyOf(steps);
        }

        double seconds() {
            return steps.stream().mapToDouble(Step::timeNs).average().orElseThrow() / NS_PER_S;
        }

        /** Returns the mean simulated time of the steps. */
        double seconds(StepTimes times, int context) {
            return steps.stream()
                    .mapToDouble(step -> composed(times, step, context).totalSeconds(true))
                    .average()
                    .orElseThrow();
        }

        /** Returns the mean work of a step, by kind. */
        double[] work(StepTimes times, int context) {
            double[] mean = new double[StepWork.KINDS];
            for (Step step : steps) {
                StepTimes.Step made = composed(times, step, context);
                double[] work =
                        StepWork.of(made, Math.toIntExact(step.requests()), made.modelSeconds(true), times.spec());
                for (int kind = 0; kind < mean.length; kind++) {
                    mean[kind] += work[kind] / steps.size();
                }
            }
            return mean;
        }

        /**
         * Returns the mean context of the decoding requests. The last block of a request is half full on average. Blocks of a
         * step with prompts are not divided between prompts and decoding requests, so {@code otherwise} is returned.
         */
        private static int context(Step step, int blockSize, int otherwise) {
            if (step.cachedTokens() == Step.UNKNOWN || step.prefillRequests() > 0) {
                return otherwise;
            }
            double unused = (blockSize - 1) / 2.0;
            return (int) Math.max(1, Math.round((double) step.cachedTokens() / step.decodeRequests() - unused));
        }

        private static StepTimes.Step composed(StepTimes times, Step step, int context) {
            return times.composed(
                    Math.toIntExact(step.decodeRequests()),
                    Math.toIntExact(step.decodeTokens()),
                    context(step, times.spec().scheduler().limits().blockSize(), context),
                    Math.toIntExact(step.prefillRequests()),
                    Math.toIntExact(step.prefillTokens()));
        }
    }
}
