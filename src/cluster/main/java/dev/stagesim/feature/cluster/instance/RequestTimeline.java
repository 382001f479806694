package dev.stagesim.feature.cluster.instance;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.model.KeyNames;
import dev.stagesim.sim.serving.metrics.SustainedLoad;
import java.util.Arrays;

/** The timeline of each request: one array per moment, in seconds, NaN if it has not happened. */
public final class RequestTimeline implements SustainedLoad.Requests {
    /** Instance of the prompt, and of the output if it is a different one; -1 if absent. */
    public final int[] first;

    public final int[] second;
    /** Decode instance that was chosen before the prefill; -1 if absent. */
    public final int[] planned;

    public final boolean[] isSplit;
    public final Outcome[] outcome;

    /** Current stage of the request. */
    public final Stage[] stage;

    /** Number of failed attempts. */
    public final int[] attempts;

    /** Time of the last dispatch, and the seconds of earlier, failed attempts. */
    public final double[] routed;

    public final double[] lost;

    /** Seconds and tokens of reads from lower cache tiers. */
    public final double[] tier;

    public final int[] tierTokens;
    public final double[] arrived;

    /** Entry to the queue of the prefill engine, and of the decode engine. */
    public final double[] entered;

    public final double[] handed;

    /** Reservation of memory on a decode engine that reserves it before the prefill. */
    public final double[] reserved;

    /** First batch on the prefill engine, and on the decode engine. */
    public final double[] started;

    public final double[] resumed;
    public final double[] firstToken;

    /** Start and end of the KV transfer. */
    public final double[] moving;

    public final double[] moved;
    public final double[] completed;

    /** End of a request that was not completed. */
    public final double[] ended;

    /** Cache hits in tokens on the prefill and the decode instance, and transferred tokens. */
    public final int[] hits;

    public final int[] decodeHits;
    public final int[] transferred;
    public final int[] preemptions;

    /** Preempted seconds before the first token, and seconds of preemption and interference by prefills after it. */
    public final double[] evicted;

    public final double[] interferenceSeconds;

    /** Outcome of a request. */
    public enum Outcome {
        OPEN,
        COMPLETED,
        REFUSED,
        SHED,
        TIMED_OUT,
        CANCELLED,
        LOST,
        ABANDONED;

        /** Returns the name in tables. */
        public String word() {
            return KeyNames.constant(this);
        }

        /** Returns the outcome as the status that all stages use. */
        public RequestStatus status() {
            return switch (this) {
                case OPEN -> RequestStatus.UNFINISHED;
                case COMPLETED -> RequestStatus.COMPLETED;
                case CANCELLED -> RequestStatus.CANCELLED;
                case REFUSED, SHED, TIMED_OUT, LOST, ABANDONED -> RequestStatus.FAILED;
            };
        }
    }

    /** Stage of a request on its way through the cluster. */
    public enum Stage {
        OUTSIDE,
        SENT,
        /** Waits for memory of the decode instance. */
        RESERVING,
        IN_FIRST,
        BETWEEN,
        IN_SECOND,
        OVER
    }

    public RequestTimeline(int size) {
        first = new int[size];
        second = new int[size];
        Arrays.fill(second, -1);
        planned = new int[size];
        Arrays.fill(planned, -1);
        isSplit = new boolean[size];
        outcome = new Outcome[size];
        Arrays.fill(outcome, Outcome.OPEN);
        stage = new Stage[size];
        Arrays.fill(stage, Stage.OUTSIDE);
        attempts = new int[size];
        routed = unset(size);
        lost = new double[size];
        tier = new double[size];
        tierTokens = new int[size];
        arrived = unset(size);
        entered = unset(size);
        handed = unset(size);
        reserved = unset(size);
        started = unset(size);
        resumed = unset(size);
        firstToken = unset(size);
        moving = unset(size);
        moved = unset(size);
        completed = unset(size);
        ended = unset(size);
        hits = new int[size];
        decodeHits = new int[size];
        transferred = new int[size];
        preemptions = new int[size];
        evicted = new double[size];
        interferenceSeconds = new double[size];
    }

    private static double[] unset(int size) {
        double[] times = new double[size];
        Arrays.fill(times, Double.NaN);
        return times;
    }

    @Override
    public int size() {
        return first.length;
    }

    @Override
    public double arrivedAt(int request) {
        return arrived[request];
    }

    @Override
    public double startedAt(int request) {
        return started[request];
    }

    /** Returns true if the request is in the queue of a prefill or decode engine. */
    @Override
    public boolean waits(int request, double time) {
        return started[request] > time || (isHandedOff(request) && handed[request] <= time && resumed[request] > time);
    }

    @Override
    public double departedAt(int request) {
        return Double.isNaN(completed[request]) ? ended[request] : completed[request];
    }

    /** Returns the seconds between two times during which the request was in the system. */
    public double present(int request, double from, double to) {
        double end = departedAt(request);
        double start = Math.max(arrived[request], from);
        // NaN if the request has not arrived
        return start < to ? Math.max(0, (end < to ? end : to) - start) : 0;
    }

    public boolean isOpen(int request) {
        return outcome[request] == Outcome.OPEN;
    }

    public boolean isServed(int request) {
        return outcome[request] == Outcome.COMPLETED;
    }

    /** Resets a request for its next attempt after a failure of its instance. */
    public void resetForRetry(int request, double now) {
        lost[request] += now - routed[request];
        attempts[request]++;
        stage[request] = Stage.OUTSIDE;
        second[request] = -1;
        planned[request] = -1;
        for (double[] moments :
                new double[][] {entered, handed, reserved, started, resumed, firstToken, moving, moved}) {
            moments[request] = Double.NaN;
        }
        hits[request] = 0;
        tier[request] = 0;
        tierTokens[request] = 0;
        decodeHits[request] = 0;
        transferred[request] = 0;
        evicted[request] = 0;
        interferenceSeconds[request] = 0;
    }

    /** Copies the results of a request from an independent simulation. */
    public void copyFrom(int request, RequestTimeline other, int there) {
        outcome[request] = other.outcome[there];
        stage[request] = other.stage[there];
        entered[request] = other.entered[there];
        started[request] = other.started[there];
        firstToken[request] = other.firstToken[there];
        completed[request] = other.completed[there];
        hits[request] = other.hits[there];
        preemptions[request] = other.preemptions[there];
        evicted[request] = other.evicted[there];
        interferenceSeconds[request] = other.interferenceSeconds[there];
    }

    /** Returns true if the output is generated on another instance than the prompt. */
    public boolean isHandedOff(int request) {
        return second[request] >= 0;
    }
}
