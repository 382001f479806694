package dev.stagesim.feature.cluster;

import dev.stagesim.sim.serving.SustainedLoad;
import java.util.Arrays;

/** What happened to each request, one array for each moment; seconds, not a number where it did not happen. */
final class Life implements SustainedLoad.Requests {
    /** Instances; -1 for none. */
    final int[] first;

    final int[] second;
    final boolean[] isSplit;
    final double[] arrived;

    /** It is in the queue of the engine of its prompt, and then of the engine of its output. */
    final double[] entered;

    final double[] handed;

    /** It is in a batch for the first time there. */
    final double[] started;

    final double[] resumed;
    final double[] firstToken;

    /** Its decode instance has room, and all has arrived there. */
    final double[] moving;

    final double[] moved;
    final double[] completed;

    /** Tokens found in the cache of the engine of its prompt, and then of its output; tokens transferred. */
    final int[] hits;

    final int[] laterHits;
    final int[] transferred;
    final int[] preemptions;

    /** Seconds without memory before the first token, and after it with those that prompts of others took. */
    final double[] evicted;

    final double[] disturbed;

    Life(int size) {
        first = new int[size];
        second = new int[size];
        Arrays.fill(second, -1);
        isSplit = new boolean[size];
        arrived = new double[size];
        entered = never(size);
        handed = never(size);
        started = never(size);
        resumed = never(size);
        firstToken = never(size);
        moving = never(size);
        moved = never(size);
        completed = never(size);
        hits = new int[size];
        laterHits = new int[size];
        transferred = new int[size];
        preemptions = new int[size];
        evicted = new double[size];
        disturbed = new double[size];
    }

    private static double[] never(int size) {
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

    /** For the engine of its prompt, or for that of its output. */
    @Override
    public boolean waits(int request, double time) {
        return started[request] > time || (isHanded(request) && handed[request] <= time && resumed[request] > time);
    }

    @Override
    public boolean isCompleted(int request, double time) {
        return completed[request] <= time;
    }

    /** Whether its output was made by another instance than its prompt. */
    boolean isHanded(int request) {
        return second[request] >= 0;
    }
}
