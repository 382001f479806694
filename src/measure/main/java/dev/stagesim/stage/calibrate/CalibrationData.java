package dev.stagesim.stage.calibrate;

import dev.stagesim.contract.Tables;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.stage.RunInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A measured run as input of a calibration: all requests, and the times of the requests that completed with their full
 * length.
 *
 * @param runId name of the run
 * @param input all requests
 * @param times times of the completed requests, by position in the input
 * @param leftAside number of other requests
 */
record CalibrationData(String runId, ServingInput input, List<Times> times, int leftAside) {
    private static final int MIN_REQUESTS = 3;

    /**
     * Times of a request in ns.
     *
     * @param request place in the input
     * @param heldOut true if it is in the validation set
     */
    record Times(int request, double ttft, double e2e, int tokens, boolean heldOut) {
        double decode() {
            return e2e - ttft;
        }

        /** Returns a copy with another {@code heldOut}. */
        Times held(boolean out) {
            return new Times(request, ttft, e2e, tokens, out);
        }

        /** Returns the mean time per token after the first, for requests with several tokens. */
        double tpot() {
            return decode() / (tokens - 1);
        }
    }

    CalibrationData {
        times = List.copyOf(times);
    }

    static CalibrationData read(RunInput run, double holdOut, long seed) throws IOException {
        ServingInput input = ServingInput.read(run.dir());
        List<Times> all = new ArrayList<>();
        int request = 0;
        for (RequestRow row : RequestRow.read(run.file(Tables.REQUEST_METRICS.name()))) {
            if (row.completed() && row.requested() == row.actual() && row.first() > row.arrival()) {
                all.add(new Times(
                        request,
                        row.first() - row.arrival(),
                        row.completion() - row.arrival(),
                        (int) row.actual(),
                        false));
            }
            request++;
        }
        if (all.size() < MIN_REQUESTS) {
            throw StageException.input(Problem.of(
                    "not comparable",
                    run.runId(),
                    "has " + all.size()
                            + " requests that completed with the requested length; a calibration needs at least "
                            + MIN_REQUESTS + ", to fit and to validate"));
        }
        return new CalibrationData(
                run.runId(), input, split(all, holdOut, seed), input.trace().size() - all.size());
    }

    /** Selects the requests for validation at random: at least one, with at least two left for the fit. */
    private static List<Times> split(List<Times> all, double holdOut, long seed) {
        int n = all.size();
        int out = (int) Math.min(n - 2, Math.max(1, Math.round(n * holdOut)));
        boolean[] held = new boolean[n];
        RandomStream draws = RandomStream.of(seed, "held out");
        for (int chosen = 0; chosen < out; ) {
            int at = (int) draws.below(n);
            if (!held[at]) {
                held[at] = true;
                chosen++;
            }
        }
        List<Times> split = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            split.add(all.get(i).held(held[i]));
        }
        return split;
    }

    /**
     * Divides the requests into parts of about equal size, and returns one split per part with that part as validation set.
     */
    List<CalibrationData> folds(int count, long seed) {
        int n = times.size();
        int[] order = IntStream.range(0, n).toArray();
        RandomStream draws = RandomStream.of(seed, "folds");
        for (int i = n - 1; i > 0; i--) {
            int other = (int) draws.below(i + 1L);
            int swap = order[i];
            order[i] = order[other];
            order[other] = swap;
        }
        List<CalibrationData> folds = new ArrayList<>();
        for (int fold = 0; fold < count; fold++) {
            boolean[] held = new boolean[n];
            for (int i = fold; i < n; i += count) {
                held[order[i]] = true;
            }
            List<Times> split = new ArrayList<>();
            for (int i = 0; i < n; i++) {
                split.add(times.get(i).held(held[i]));
            }
            folds.add(new CalibrationData(runId, input, split, leftAside));
        }
        return folds;
    }

    /** Returns a copy with all requests in the fit. */
    CalibrationData withoutHeldOut() {
        return new CalibrationData(
                runId, input, times.stream().map(t -> t.held(false)).toList(), leftAside);
    }

    List<Times> part(boolean heldOut) {
        return times.stream().filter(t -> t.heldOut() == heldOut).toList();
    }
}
