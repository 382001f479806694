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

    /** The moments of requests, in seconds. */
    public interface Requests {
        int size();

        double arrivedAt(int request);

        /** Whether a request that has arrived waits for admission at a time. */
        boolean waits(int request, double time);

        /** Whether a request is completed at a time. */
        boolean isCompleted(int request, double time);
    }

    /** The load of a simulation that has ended. */
    public static SustainedLoad of(ServingOutcome outcome) {
        RequestStates states = outcome.states();
        return of(
                new Requests() {
                    @Override
                    public int size() {
                        return states.size();
                    }

                    @Override
                    public double arrivedAt(int request) {
                        return states.arrivedAt(request);
                    }

                    @Override
                    public boolean waits(int request, double time) {
                        return !states.everScheduled(request) || states.scheduledAt(request) > time;
                    }

                    @Override
                    public boolean isCompleted(int request, double time) {
                        return states.completed(request) && states.completedAt(request) <= time;
                    }
                },
                outcome.endSeconds(),
                outcome.completed());
    }

    /**
     * The load of requests of which some were served.
     *
     * @param end the last event, in seconds; requests that arrive later do not count
     * @param served requests that completed
     */
    public static SustainedLoad of(Requests requests, double end, int served) {
        double first = Double.POSITIVE_INFINITY;
        double last = Double.NEGATIVE_INFINITY;
        int arrived = 0;
        for (int request = 0; request < requests.size(); request++) {
            double at = requests.arrivedAt(request);
            if (at <= end) {
                arrived++;
                first = Math.min(first, at);
                last = Math.max(last, at);
            }
        }
        if (arrived == 0) {
            return new SustainedLoad(Verdict.AT_ONCE, 0, 0, 0, 0, 0);
        }
        int waiting = 0;
        for (int request = 0; request < requests.size(); request++) {
            waiting += requests.arrivedAt(request) <= last && requests.waits(request, last) ? 1 : 0;
        }
        boolean isBehind = served < arrived || end - last > BEHIND_SHARE * (last - first);
        Verdict verdict = verdict(isBehind && waiting >= Math.max(FEW, WAITING_SHARE * arrived), first, last, end);
        if (verdict == Verdict.SUSTAINED && isBehind) {
            int halfway = inSystem(requests, first + (last - first) / 2);
            boolean isGrowing = inSystem(requests, last) > GROWTH * halfway + Math.sqrt(arrived);
            verdict = isGrowing ? Verdict.SATURATED : verdict;
        }
        return new SustainedLoad(verdict, arrived, last - first, end - last, waiting, served);
    }

    /** What a run tells without a look at how many requests were in the system. */
    private static Verdict verdict(boolean isQueued, double first, double last, double end) {
        if (last == first) {
            return Verdict.AT_ONCE;
        }
        if (isQueued) {
            return Verdict.SATURATED;
        }
        return end - last > last - first ? Verdict.TOO_SHORT : Verdict.SUSTAINED;
    }

    private static int inSystem(Requests requests, double time) {
        int count = 0;
        for (int request = 0; request < requests.size(); request++) {
            count += requests.arrivedAt(request) <= time && !requests.isCompleted(request, time) ? 1 : 0;
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
