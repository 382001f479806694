package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.Slo.SloBound;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.workload.ClosedLoop;
import java.util.List;

/**
 * Ends a simulation as soon as a bound is certainly violated: when so many requests exceeded the limit that the quantile
 * does too, whatever the other requests take.
 */
final class SloWatch implements ServingRecorder {
    private static final double MS = 1e3;

    private final List<SloBound> bounds;
    private final int begin;
    /** For each bound, the number of further requests above the limit that violate it. */
    private final int[] left;

    /** Ends the simulation; a bound is violated. */
    static final class ViolatedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ViolatedException() {
            super("a bound is violated", null, false, false);
        }
    }

    SloWatch(Slo slo, RequestTrace trace) {
        bounds = slo.bounds();
        begin = trace.closedLoop().map(ClosedLoop::warmUpRequests).orElse(0);
        left = new int[bounds.size()];
        for (int i = 0; i < left.length; i++) {
            int values = 0;
            for (int request = begin; request < trace.size(); request++) {
                values += isTpot(bounds.get(i)) && trace.decodeTokens(request) < 2 ? 0 : 1;
            }
            left[i] = values - (int) ((values - 1) * bounds.get(i).quantile());
        }
    }

    private static boolean isTpot(SloBound bound) {
        return bound.kind().equals("tpot");
    }

    @Override
    public void requestCompleted(int request, double time, RequestStates states) {
        if (request < begin) {
            return;
        }
        double arrival = states.arrivedAt(request);
        double first = states.prefillCompletedAt(request);
        double end = states.completedAt(request);
        int tokens = states.trace().decodeTokens(request);
        for (int i = 0; i < left.length; i++) {
            SloBound bound = bounds.get(i);
            if (isTpot(bound) && tokens < 2) {
                continue;
            }
            double value =
                    switch (bound.kind()) {
                        case "ttft" -> MS * (first - arrival);
                        case "tpot" -> MS * (end - first) / (tokens - 1);
                        default -> MS * (end - arrival);
                    };
            if (!bound.meetsSlo(value) && --left[i] == 0) {
                throw new ViolatedException();
            }
        }
    }
}
