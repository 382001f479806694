package dev.stagesim.sim.capacity;

import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.stats.Quantiles;
import java.util.Arrays;

/** Simulates the service of one copy of a model with the kernel that simulates whole clusters. */
public final class ReplicaRun {
    private static final double MILLIS = 1e3;
    private static final int WAVES = 3;

    private ReplicaRun() {}

    /**
     * The result of a run.
     *
     * @param finished whether all requests were served
     * @param requestsPerSecond requests divided by the time from the first arrival to the last completion
     * @param p50TtftMs median time to first token
     * @param p50TpotMs median time per output token after the first
     * @param p99E2eMs P99 of the time to the last token
     */
    public record Service(
            boolean finished,
            double requestsPerSecond,
            double p50TtftMs,
            double p99TtftMs,
            double p50TpotMs,
            double p99TpotMs,
            double p99E2eMs) {
        static final Service NONE = new Service(false, 0, 0, 0, 0, 0, 0);
    }

    /**
     * Returns the maximum throughput of a copy: all requests wait from the start, three times the number that can run
     * concurrently.
     */
    public static Service saturated(ServingSpec spec, OperatorTimes times, int prompt, int generate) {
        int requests = WAVES * Math.max(1, MemoryPlan.of(spec).effectiveMaxBatch());
        return serve(spec, times, new double[requests], prompt, generate);
    }

    /** Serves requests that arrive at the given times, in seconds. */
    public static Service serve(ServingSpec spec, OperatorTimes times, double[] arrivals, int prompt, int generate) {
        int[] prompts = new int[arrivals.length];
        int[] outputs = new int[arrivals.length];
        Arrays.fill(prompts, prompt);
        Arrays.fill(outputs, generate);
        ServingOutcome outcome = ServingSimulator.run(spec, new RequestTrace(arrivals, prompts, outputs), times);
        if (outcome.ending() != ServingOutcome.Ending.FINISHED) {
            return Service.NONE;
        }
        return service(outcome.states(), outcome.endSeconds(), generate);
    }

    private static Service service(RequestStates states, double end, int generate) {
        int n = states.size();
        double[] ttft = new double[n];
        double[] tpot = new double[n];
        double[] total = new double[n];
        for (int i = 0; i < n; i++) {
            double first = states.prefillCompletedAt(i);
            ttft[i] = MILLIS * (first - states.arrivedAt(i));
            total[i] = MILLIS * (states.completedAt(i) - states.arrivedAt(i));
            tpot[i] = generate > 1 ? MILLIS * (states.completedAt(i) - first) / (generate - 1) : 0;
        }
        Arrays.sort(ttft);
        Arrays.sort(tpot);
        Arrays.sort(total);
        return new Service(
                true,
                n / (end - states.arrivedAt(0)),
                Quantiles.ofSorted(ttft, 0.5),
                Quantiles.ofSorted(ttft, 0.99),
                Quantiles.ofSorted(tpot, 0.5),
                Quantiles.ofSorted(tpot, 0.99),
                Quantiles.ofSorted(total, 0.99));
    }
}
