package dev.stagesim.sim.serving;

/**
 * Whether a cluster kept up with the requests that were offered.
 *
 * <p>The load is not sustained when requests pile up while they arrive: a part of them waits for admission when the last one
 * comes, or more are in the system then than halfway, and it takes the cluster a while to serve them. A run that drains
 * longer than requests arrived cannot tell of the latter.
 *
 * @param verdict what the run tells
 * @param arrived requests that arrived
 * @param arrivalSeconds from the first arrival to the last
 * @param drainSeconds from the last arrival to the last event
 * @param waiting requests that waited for admission when the last one arrived
 * @param served requests that completed
 */
public record SustainedLoad(
        Verdict verdict, int arrived, double arrivalSeconds, double drainSeconds, int waiting, int served) {
    /** What a run tells. */
    public enum Verdict {
        /** Requests did not pile up. */
        SUSTAINED,
        /** Requests piled up as long as they arrived. */
        SATURATED,
        /** Most of the run came after the last arrival. */
        TOO_SHORT,
        /** All requests came at once. */
        AT_ONCE
    }

    /** Least share of the requests whose waiting means that they pile up. */
    private static final double WAITING_SHARE = 0.05;

    /** Least drain, as a share of the time in which requests arrived: a burst at the end that is soon served is no overload. */
    private static final double BEHIND_SHARE = 0.03;

    private static final int FEW = 4;
    private static final double GROWTH = 1.3;

    /** The load of a simulation that has ended. */
    public static SustainedLoad of(ServingOutcome outcome) {
        RequestStates states = outcome.states();
        double end = outcome.endSeconds();
        double first = Double.POSITIVE_INFINITY;
        double last = Double.NEGATIVE_INFINITY;
        int arrived = 0;
        for (int request = 0; request < states.size(); request++) {
            double at = states.arrivedAt(request);
            if (at <= end) {
                arrived++;
                first = Math.min(first, at);
                last = Math.max(last, at);
            }
        }
        if (arrived == 0) {
            return new SustainedLoad(Verdict.AT_ONCE, 0, 0, 0, 0, 0);
        }
        int waiting = waiting(states, last);
        double span = last - first;
        return new SustainedLoad(
                verdict(outcome, arrived, first, last, waiting),
                arrived,
                span,
                end - last,
                waiting,
                outcome.completed());
    }

    private static Verdict verdict(ServingOutcome outcome, int arrived, double first, double last, int waiting) {
        RequestStates states = outcome.states();
        double end = outcome.endSeconds();
        if (last == first) {
            return Verdict.AT_ONCE;
        }
        boolean isBehind = outcome.completed() < arrived || end - last > BEHIND_SHARE * (last - first);
        if (isBehind && waiting >= Math.max(FEW, WAITING_SHARE * arrived)) {
            return Verdict.SATURATED;
        }
        if (end - last > last - first) {
            return Verdict.TOO_SHORT;
        }
        int halfway = inSystem(states, first + (last - first) / 2);
        boolean isGrowing = inSystem(states, last) > GROWTH * halfway + Math.sqrt(arrived);
        return isBehind && isGrowing ? Verdict.SATURATED : Verdict.SUSTAINED;
    }

    private static int waiting(RequestStates states, double time) {
        int count = 0;
        for (int request = 0; request < states.size(); request++) {
            boolean admitted = states.everScheduled(request) && states.scheduledAt(request) <= time;
            count += states.arrivedAt(request) <= time && !admitted ? 1 : 0;
        }
        return count;
    }

    private static int inSystem(RequestStates states, double time) {
        int count = 0;
        for (int request = 0; request < states.size(); request++) {
            boolean done = states.completed(request) && states.completedAt(request) <= time;
            count += states.arrivedAt(request) <= time && !done ? 1 : 0;
        }
        return count;
    }

    /** Requests per second while they arrived; not a number when all came at once. */
    public double offeredPerSecond() {
        return arrivalSeconds > 0 ? (arrived - 1) / arrivalSeconds : Double.NaN;
    }

    /** Completed requests per second of the whole run. */
    public double servedPerSecond() {
        return served / (arrivalSeconds + drainSeconds);
    }
}
