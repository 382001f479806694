package dev.stagesim.sim.serving.metrics;

import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.replica.StepTimes;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.Arrays;
import java.util.Comparator;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Simulates copies of a deployment and keeps the times of their requests.
 *
 * <p>A round robin makes copies independent. They are then simulated one after the other, each with its requests. The times
 * are equal to those of one simulation of all copies, but consecutive steps of a copy need no event queue. After a
 * simulation that did not finish, only the verdict and the reason for waiting have a meaning.
 */
public final class CopyTimes implements SustainedLoad.Requests {
    private final double[] arrived;
    private final double[] started;
    private final double[] firstTokens;
    private final double[] departed;
    private final AdmissionTimes admission = new AdmissionTimes(0);
    private boolean isFinished = true;
    private double end;
    private int served;

    private CopyTimes(int requests) {
        arrived = new double[requests];
        started = new double[requests];
        firstTokens = new double[requests];
        departed = new double[requests];
    }

    /**
     * Simulates a number of copies.
     *
     * @param replicated returns the specification of a number of copies
     */
    public static CopyTimes of(
            IntFunction<ServingSpec> replicated,
            int copies,
            RequestTrace trace,
            OperatorTimes times,
            ServingRecorder... recorders) {
        CopyTimes all = new CopyTimes(trace.size());
        ServingSpec copy = replicated.apply(1);
        int[] order = IntStream.range(0, trace.size()).toArray();
        if (copies == 1
                || copy.cluster().policy() != GlobalPolicy.ROUND_ROBIN
                || trace.closedLoop().isPresent()
                || trace.hasSessions()
                || trace.hasLabels()) {
            all.add(new StepTimes(replicated.apply(copies), times), trace, order, recorders);
            return all;
        }
        order = placementOrder(copy, trace, order);
        int engines = copy.cluster().replicas();
        StepTimes steps = new StepTimes(copy, times);
        for (int i = 0; i < copies && i * engines < order.length; i++) {
            int[] requests = part(order, i * engines, engines, copies * engines);
            all.add(steps, trace.part(requests), requests, recorders);
        }
        return all;
    }

    /** Returns the requests in the order in which they are placed: by the time when they are ready. */
    private static int[] placementOrder(ServingSpec spec, RequestTrace trace, int[] requests) {
        double[] ready = new double[requests.length];
        Arrays.setAll(ready, i -> trace.arrivalSeconds(i) + spec.timing().arrivalSeconds(trace.prefillTokens(i)));
        return IntStream.of(requests)
                .boxed()
                .sorted(Comparator.comparingDouble(request -> ready[request]))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** Returns the requests at places {@code from} to {@code from + count - 1} of every turn, in order of the trace. */
    private static int[] part(int[] order, int from, int count, int turn) {
        return IntStream.range(0, order.length)
                .filter(place -> place % turn >= from && place % turn < from + count)
                .map(place -> order[place])
                .sorted()
                .toArray();
    }

    private void add(StepTimes steps, RequestTrace trace, int[] requests, ServingRecorder[] recorders) {
        AdmissionTimes waits = new AdmissionTimes(steps.spec().cluster().replicas());
        ServingRecorder[] all = Arrays.copyOf(recorders, recorders.length + 1);
        all[recorders.length] = waits;
        ServingOutcome outcome = ServingSimulator.run(steps, trace, all);
        waits.finish(outcome.endSeconds());
        admission.add(waits);
        isFinished &= outcome.ending() == ServingOutcome.Ending.FINISHED;
        end = Math.max(end, outcome.endSeconds());
        served += outcome.completed();
        RequestStates states = outcome.states();
        for (int i = 0; i < requests.length; i++) {
            int request = requests[i];
            arrived[request] = states.arrivedAt(i);
            started[request] = states.everScheduled(i) ? states.scheduledAt(i) : Double.NaN;
            firstTokens[request] = states.prefillCompletedAt(i);
            departed[request] = states.completed(i) ? states.completedAt(i) : Double.NaN;
        }
    }

    /** Returns true if all requests completed. */
    public boolean isFinished() {
        return isFinished;
    }

    /** Returns the time of the last event, in seconds. */
    public double endSeconds() {
        return end;
    }

    /** Returns whether the copies kept up with the load. */
    public SustainedLoad load() {
        return SustainedLoad.of(this, end, served);
    }

    /** Returns the time for which each limit kept requests waiting. */
    public AdmissionTimes admission() {
        return admission;
    }

    @Override
    public int size() {
        return arrived.length;
    }

    @Override
    public double arrivedAt(int request) {
        return arrived[request];
    }

    @Override
    public double startedAt(int request) {
        return started[request];
    }

    /** Returns the time of the first output token, or 0 if there is none. */
    public double firstTokenAt(int request) {
        return firstTokens[request];
    }

    @Override
    public double departedAt(int request) {
        return departed[request];
    }
}
