package dev.stagesim.sim.serving.cluster;

import java.util.function.IntPredicate;

/**
 * Spreads requests over data-parallel engines as one of several front ends of vLLM does: by the last reports of the engines
 * and the requests that this front end has sent since.
 */
public final class DataParallelBalancer {
    private final int clients;
    private final int[] waiting;
    private final int[] running;
    private final double[] usage;
    private final int[] inFlight;
    private int start;

    /**
     * A front end that knows nothing yet.
     *
     * @param engines number of engines
     * @param clients number of front ends
     * @param index this one's number, from 0
     */
    public DataParallelBalancer(int engines, int clients, int index) {
        this.clients = clients;
        waiting = new int[engines];
        running = new int[engines];
        usage = new double[engines];
        inFlight = new int[engines];
        start = engines * index / clients;
    }

    /** Takes in what an engine reported: requests that wait and run, and the share of its cache in use. */
    public void report(int engine, int waits, int runs, double used) {
        waiting[engine] = waits;
        running[engine] = runs;
        usage[engine] = used;
    }

    /** Returns the engine with the lowest load of those that accept requests; of equal ones the first in turn; -1 if none does. */
    public int choose(IntPredicate accepts) {
        int engines = waiting.length;
        int best = -1;
        double lowest = Double.POSITIVE_INFINITY;
        for (int i = 0; i < engines; i++) {
            int engine = (start + i) % engines;
            double score = accepts.test(engine) ? score(engine) : Double.POSITIVE_INFINITY;
            if (score < lowest) {
                lowest = score;
                best = engine;
            }
        }
        return best;
    }

    /** Notes that a request is sent to the engine that was chosen. */
    public void sent(int engine) {
        waiting[engine] += clients;
        inFlight[engine]++;
        start = (start + 1) % waiting.length;
    }

    private double score(int engine) {
        double load = Math.max((double) clients * inFlight[engine], waiting[engine] + running[engine]);
        // Requests that wait behind a full cache weigh more than those that only wait for a turn.
        return load + (waiting[engine] > 0 ? waiting[engine] * 6.0 * Math.max(0, usage[engine] - 0.5) : 0);
    }

    /** Notes a request that names its engine. */
    public void named(int engine) {
        inFlight[engine]++;
    }

    /** Notes the end of a request. */
    public void done(int engine) {
        inFlight[engine]--;
    }
}
