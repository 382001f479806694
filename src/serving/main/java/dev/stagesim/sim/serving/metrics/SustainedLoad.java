package dev.stagesim.sim.serving.metrics;

import dev.stagesim.report.Numbers;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.replica.RequestStates;
import java.util.Arrays;
import java.util.Optional;

/**
 * The verdict whether a cluster kept up with the offered load.
 *
 * <p>A run starts with an empty system. At 100 % load, the length of its queue after {@code n} arrivals is close to a reflected
 * Brownian motion, with a standard deviation of {@code sqrt(c n)}. Here, {@code c} is the sum of the squared coefficients of
 * variation of the times between arrivals and of the service times (Whitt, Stochastic-Process Limits, 2002, section 9.6). A
 * lower load gives a shorter queue. The verdict is therefore {@link Verdict#SATURATED} only if the queue at the last arrival
 * exceeds the 95 % quantile of this length. A queue that is shorter, or a number of requests in the system that still
 * grows, gives {@link Verdict#TOO_SHORT}: the run has not reached a steady state.
 *
 * @param verdict whether the cluster kept up
 * @param arrived number of requests that arrived
 * @param arrivalSeconds time from the first arrival to the last
 * @param drainSeconds time from the last arrival to the last event
 * @param waiting requests in the queue for admission at the last arrival
 * @param served number of requests that completed
 */
public record SustainedLoad(
        Verdict verdict, int arrived, double arrivalSeconds, double drainSeconds, int waiting, int served) {
    /** Whether the cluster kept up. */
    public enum Verdict {
        /** The queue did not grow. */
        SUSTAINED,
        /** The queue grew by more than chance explains. */
        SATURATED,
        /** The run does not show whether the queue grows. */
        TOO_SHORT,
        /** All requests arrived at the same time, so the load has no rate. */
        AT_ONCE
    }

    /** Quantile of the absolute value of a normal distribution that a load of 100 % exceeds in 5 % of the runs. */
    private static final double QUANTILE = 1.96;

    /** Minimum of {@code c}: Poisson arrivals and equal service times. */
    private static final double MIN_VARIABILITY = 1;

    /** Maximum drain time of a cluster that certainly kept up, as a share of the arrival time. */
    private static final double DRAIN_SHARE = 0.03;

    /** Minimum length of a queue; shorter queues can be requests that wait for the next step. */
    private static final int MIN_QUEUE = 4;

    /** Minimum length of a queue as a share of all requests. */
    private static final double QUEUE_SHARE = 0.03;

    /** Minimum number of arrivals of a sustained load; the rate of fewer arrivals has an error of more than 20 %. */
    private static final int MIN_ARRIVALS = 20;

    /** Overload, as a share of the offered load, that a run must be able to exclude. */
    private static final double MAX_OVERLOAD = 0.05;

    /** Maximum share of the offered rate at which the rate of completions of a sustained load requires an explanation. */
    public static final double LOOKS_LOST = 0.95;

    private static final int DIGITS = 3;

    /** Minimum P99 wait of a long wait, and its minimum multiple of the median time to the first token without it. */
    private static final double LONG_WAIT_MS = 1000;

    private static final double LONG_WAIT = 10;

    /** Timestamps of requests, in seconds. */
    public interface Requests {
        int size();

        double arrivedAt(int request);

        /** Returns the time of the first admission, or NaN if the request was never admitted. */
        double startedAt(int request);

        /** Returns true if a request that has arrived is in a queue for admission at the given time. */
        default boolean waits(int request, double time) {
            return !(startedAt(request) <= time);
        }

        /** Returns the time at which the request completed or was dropped, or NaN if it did neither. */
        double departedAt(int request);
    }

    /** Returns the load of a finished simulation. */
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
                    public double startedAt(int request) {
                        return states.everScheduled(request) ? states.scheduledAt(request) : Double.NaN;
                    }

                    @Override
                    public double departedAt(int request) {
                        return states.completed(request) ? states.completedAt(request) : Double.NaN;
                    }
                },
                outcome.endSeconds(),
                outcome.completed());
    }

    /**
     * Returns the load of requests that were possibly not all served.
     *
     * @param end time of the last event, in seconds; later arrivals do not count
     * @param served number of requests that completed
     */
    public static SustainedLoad of(Requests requests, double end, int served) {
        double[] arrivals = new double[requests.size()];
        int arrived = 0;
        for (int request = 0; request < arrivals.length; request++) {
            if (requests.arrivedAt(request) <= end) {
                arrivals[arrived++] = requests.arrivedAt(request);
            }
        }
        if (arrived == 0) {
            return new SustainedLoad(Verdict.AT_ONCE, 0, 0, 0, 0, 0);
        }
        Arrays.sort(arrivals, 0, arrived);
        double first = arrivals[0];
        double last = arrivals[arrived - 1];
        int waiting = 0;
        for (int request = 0; request < requests.size(); request++) {
            waiting += requests.arrivedAt(request) <= last && requests.waits(request, last) ? 1 : 0;
        }
        Verdict verdict;
        if (first == last) {
            verdict = Verdict.AT_ONCE;
        } else if (served == arrived && end - last <= DRAIN_SHARE * (last - first)) {
            verdict = Verdict.SUSTAINED;
        } else {
            double variability = variation(arrivals, arrived) + serviceVariation(requests, end);
            double chance = QUANTILE * Math.sqrt(Math.max(MIN_VARIABILITY, variability) * arrived);
            verdict = verdict(requests, first, last, end, arrived, waiting, chance);
        }
        if (verdict == Verdict.SUSTAINED && arrived < MIN_ARRIVALS) {
            verdict = Verdict.TOO_SHORT;
        }
        return new SustainedLoad(verdict, arrived, last - first, end - last, waiting, served);
    }

    /**
     * Returns the verdict of a run that took a while to drain.
     *
     * @param chance length of the queue that chance explains
     */
    private static Verdict verdict(
            Requests requests, double first, double last, double end, int arrived, int waiting, double chance) {
        double queue = Math.max(MIN_QUEUE, QUEUE_SHARE * arrived);
        if (waiting >= Math.max(queue, chance)) {
            return Verdict.SATURATED;
        }
        double quarter = (last - first) / 4;
        double growth =
                inSystem(requests, last - quarter, last) - inSystem(requests, first + quarter, first + 2 * quarter);
        // the distance between the centres of the two quarters is half of the arrival time
        boolean isGrowing = growth > Math.max(MIN_QUEUE, MAX_OVERLOAD * arrived / 2);
        return waiting >= queue || isGrowing || end - last > last - first ? Verdict.TOO_SHORT : Verdict.SUSTAINED;
    }

    /** Returns the mean number of requests in the system between two times. */
    private static double inSystem(Requests requests, double from, double to) {
        double sum = 0;
        for (int request = 0; request < requests.size(); request++) {
            double departed = requests.departedAt(request);
            double until = departed < to ? departed : to;
            sum += Math.max(0, until - Math.max(from, requests.arrivedAt(request)));
        }
        return sum / (to - from);
    }

    /** Returns the squared coefficient of variation of the times between arrivals. */
    private static double variation(double[] arrivals, int count) {
        double sum = 0;
        for (int i = 1; i < count; i++) {
            double gap = arrivals[i] - arrivals[i - 1];
            sum += gap * gap;
        }
        double mean = (arrivals[count - 1] - arrivals[0]) / (count - 1);
        return sum / (count - 1) / (mean * mean) - 1;
    }

    /** Returns the squared coefficient of variation of the times from admission to departure. */
    private static double serviceVariation(Requests requests, double end) {
        double sum = 0;
        double squares = 0;
        int count = 0;
        for (int request = 0; request < requests.size(); request++) {
            double departed = requests.departedAt(request);
            double seconds = (departed < end ? departed : end) - requests.startedAt(request);
            if (seconds >= 0) {
                count++;
                sum += seconds;
                squares += seconds * seconds;
            }
        }
        return sum > 0 ? squares * count / (sum * sum) - 1 : 0;
    }

    /**
     * Returns true if requests wait far longer than their prefill takes.
     *
     * @param waitMs P99 wait for the prefill
     * @param prefillMs median time to the first token without that wait
     */
    public static boolean isLongWait(double waitMs, double prefillMs) {
        return waitMs >= Math.max(LONG_WAIT_MS, LONG_WAIT * prefillMs);
    }

    /** Returns a number of requests, in whole hundreds, whose arrivals last long enough if the queue does not grow. */
    public long sufficient() {
        double arrivals = arrivalSeconds > 0 ? arrived * Math.max(1, drainSeconds / DRAIN_SHARE / arrivalSeconds) : 0;
        return 100 * (long) Math.ceil(arrivals / 100);
    }

    /** Returns true if the run drained for longer than requests arrived, so that its rates mislead. */
    public boolean isMostlyDrained() {
        return drainSeconds > arrivalSeconds;
    }

    /** Returns the reason why the run permits no verdict; empty if it permits one. */
    public Optional<String> tooShort(boolean isDrawn) {
        return verdict != Verdict.TOO_SHORT
                ? Optional.empty()
                : Optional.of(shortness() + ". throughput_requests_per_s is over both and is not the capacity"
                        + (isDrawn
                                ? ": set requests=" + sufficient() + " or more"
                                : "; a verdict requires a file or run with more requests"));
    }

    /** Returns the times of a run that permits no verdict. */
    public String shortness() {
        return "too short for a verdict: requests arrived for " + Numbers.significant(arrivalSeconds, DIGITS)
                + " s, the run drained for another " + Numbers.significant(drainSeconds, DIGITS) + " s; offered "
                + Numbers.significant(offeredPerSecond(), DIGITS) + " requests/s";
    }

    /** Returns the arrival rate in requests per second; NaN if all requests arrived at the same time. */
    public double offeredPerSecond() {
        return arrivalSeconds > 0 ? (arrived - 1) / arrivalSeconds : Double.NaN;
    }

    /** Returns the rate of completions over the whole run, in requests per second. */
    public double servedPerSecond() {
        return served / (arrivalSeconds + drainSeconds);
    }
}
