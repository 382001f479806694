package dev.stagesim.feature.cluster.instance;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.sim.serving.SustainedLoad;
import java.util.Arrays;
import java.util.Locale;

/** What happened to each request, one array for each moment; seconds, not a number where it did not happen. */
public final class RequestTimeline implements SustainedLoad.Requests {
    /** Instances; -1 for none. */
    public final int[] first;

    public final int[] second;
    /** The decode instance that was chosen before its prompt was sent; -1 for none. */
    public final int[] planned;

    public final boolean[] isSplit;
    public final Outcome[] outcome;

    /** Where it is on its way. */
    public final Stage[] stage;

    /** Times that it was sent, or is waiting to be. */
    public final int[] attempts;

    /** When it was sent for the last time, and the seconds of those before that were lost. */
    public final double[] routed;

    public final double[] lost;

    /** Seconds of reading from tiers, and the tokens read. */
    public final double[] tier;

    public final int[] tierTokens;
    public final double[] arrived;

    /** It is in the queue of the engine of its prompt, and then of the engine of its output. */
    public final double[] entered;

    public final double[] handed;

    /** It is in a batch for the first time there. */
    public final double[] started;

    public final double[] resumed;
    public final double[] firstToken;

    /** Its decode instance has room, and all has arrived there. */
    public final double[] moving;

    public final double[] moved;
    public final double[] completed;

    /** It was given up. */
    public final double[] ended;

    /** Tokens found in the cache of the engine of its prompt, and then of its output; tokens transferred. */
    public final int[] hits;

    public final int[] decodeHits;
    public final int[] transferred;
    public final int[] preemptions;

    /** Seconds without memory before the first token, and after it with those that prompts of others took. */
    public final double[] evicted;

    public final double[] interferenceSeconds;

    /** How a request ended. */
    public enum Outcome {
        OPEN,
        COMPLETED,
        REFUSED,
        SHED,
        TIMED_OUT,
        CANCELLED,
        LOST,
        ABANDONED;

        /** As tables have it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The same in the words of runs of any kind. */
        public RequestStatus status() {
            return switch (this) {
                case OPEN -> RequestStatus.UNFINISHED;
                case COMPLETED -> RequestStatus.COMPLETED;
                case CANCELLED -> RequestStatus.CANCELLED;
                case REFUSED, SHED, TIMED_OUT, LOST, ABANDONED -> RequestStatus.FAILED;
            };
        }
    }

    /** Where a request is. */
    public enum Stage {
        OUTSIDE,
        SENT,
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

    /** For the engine of its prompt, or for that of its output. */
    @Override
    public boolean waits(int request, double time) {
        return started[request] > time || (isHandedOff(request) && handed[request] <= time && resumed[request] > time);
    }

    @Override
    public double departedAt(int request) {
        return Double.isNaN(completed[request]) ? ended[request] : completed[request];
    }

    /** Seconds between two times in which a request was somewhere between its arrival and its end. */
    public double present(int request, double from, double to) {
        double end = departedAt(request);
        double start = Math.max(arrived[request], from);
        // no number where it has not arrived
        return start < to ? Math.max(0, (end < to ? end : to) - start) : 0;
    }

    public boolean isOpen(int request) {
        return outcome[request] == Outcome.OPEN;
    }

    public boolean isServed(int request) {
        return outcome[request] == Outcome.COMPLETED;
    }

    /** It begins anew after what was done for it was lost. */
    public void resetForRetry(int request, double now) {
        lost[request] += now - routed[request];
        attempts[request]++;
        stage[request] = Stage.OUTSIDE;
        second[request] = -1;
        planned[request] = -1;
        for (double[] moments : new double[][] {entered, handed, started, resumed, firstToken, moving, moved}) {
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

    /** A request served by one instance is here what it is there. */
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

    /** Whether its output was made by another instance than its prompt. */
    public boolean isHandedOff(int request) {
        return second[request] >= 0;
    }
}
