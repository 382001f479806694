package dev.stagesim.sim.serving.cluster;

import java.util.function.IntPredicate;

/**
 * One of several front ends of vLLM, which distributes requests to data-parallel engines. It uses the last reports of the
 * engines and the requests that it has sent since then.
 */
public final class DataParallelBalancer {
    private final int clients;
    private final int[] waiting;
    private final int[] running;
    private final double[] usage;
    private final int[] inFlight;
    private int start;

    /**
     * Creates a front end without reports.
     *
     * @param engines number of engines
     * @param clients number of front ends
     * @param index number of this front end, from 0
     */
    public DataParallelBalancer(int engines, int clients, int index) {
        this.clients = clients;
        waiting = new int[engines];
        running = new int[engines];
        usage = new double[engines];
        inFlight = new int[engines];
        start = engines * index / clients;
    }

    /** Records a report of an engine: waiting and running requests, and the used share of its cache. */
    public void report(int engine, int waits, int runs, double used) {
        waiting[engine] = waits;
        running[engine] = runs;
        usage[engine] = used;
    }

    /** Returns the engine with the lowest load that accepts requests, the first in turn if several are equal, or -1 if none. */
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

    /** Counts a request that was sent to the chosen engine. */
    public void sent(int engine) {
        waiting[engine] += clients;
        inFlight[engine]++;
        start = (start + 1) % waiting.length;
    }

    private double score(int engine) {
        double load = Math.max((double) clients * inFlight[engine], waiting[engine] + running[engine]);
        // requests that wait for cache weigh more than requests that wait for the next step
        return load + (waiting[engine] > 0 ? waiting[engine] * 6.0 * Math.max(0, usage[engine] - 0.5) : 0);
    }

    /** Counts a request that was sent to the engine that it requires. */
    public void named(int engine) {
        inFlight[engine]++;
    }

    /** Counts the end of a request. */
    public void done(int engine) {
        inFlight[engine]--;
    }
}
