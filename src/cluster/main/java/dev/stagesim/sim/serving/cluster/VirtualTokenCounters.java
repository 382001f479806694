package dev.stagesim.sim.serving.cluster;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * Fair queueing of tenants by virtual token counters (VTC; Sheng et al., Fairness in Serving Large Language Models,
 * OSDI 2024). Each tenant has a counter of its service: prompt and output tokens times their prices, divided by the
 * weight of the tenant. The waiting tenant with the lowest counter is next. A tenant that becomes active again is
 * raised to the lowest counter of the waiting tenants, so that idle time earns no service.
 */
public final class VirtualTokenCounters {
    private final double promptPrice;
    private final double outputPrice;
    private final double[] weights;
    private final double[] served;
    private final List<LinkedHashSet<Integer>> waiting = new ArrayList<>();

    /** Tenants in the order of their first requests. */
    private final LinkedHashSet<Integer> known = new LinkedHashSet<>();

    private int size;

    /**
     * Creates an empty queue.
     *
     * @param weights share of each tenant, above 0
     */
    public VirtualTokenCounters(double promptPrice, double outputPrice, double[] weights) {
        this.promptPrice = promptPrice;
        this.outputPrice = outputPrice;
        this.weights = weights.clone();
        served = new double[weights.length];
        for (double weight : weights) {
            if (!(weight > 0)) {
                throw new IllegalArgumentException("the weight of a tenant must be above 0, got " + weight);
            }
            waiting.add(new LinkedHashSet<>());
        }
    }

    /** Adds a request after the waiting requests of its tenant. */
    public void add(int tenant, int request) {
        if (waiting.get(tenant).isEmpty() && size > 0) {
            served[tenant] = Math.max(served[tenant], served[next()]);
        }
        known.add(tenant);
        waiting.get(tenant).add(request);
        size++;
    }

    /**
     * Returns the waiting tenant with the lowest counter, the earliest known if several are equal, or -1 if none waits.
     */
    public int next() {
        int best = -1;
        for (int tenant : known) {
            if (!waiting.get(tenant).isEmpty() && (best < 0 || served[tenant] < served[best])) {
                best = tenant;
            }
        }
        return best;
    }

    /** Returns the first waiting request of a tenant. */
    public int first(int tenant) {
        return waiting.get(tenant).iterator().next();
    }

    /** Removes a waiting request. */
    public void remove(int tenant, int request) {
        size -= waiting.get(tenant).remove(request) ? 1 : 0;
    }

    /** Charges a tenant for the prompt of a dispatched request. */
    public void chargePrompt(int tenant, int tokens) {
        served[tenant] += tokens * promptPrice / weights[tenant];
    }

    /** Charges a tenant for output tokens, with one addition per token, as they are produced. */
    public void chargeOutput(int tenant, int tokens) {
        for (int i = 0; i < tokens; i++) {
            served[tenant] += outputPrice / weights[tenant];
        }
    }

    /** Returns the counter of a tenant. */
    public double served(int tenant) {
        return served[tenant];
    }

    /** Returns the number of waiting requests. */
    public int size() {
        return size;
    }
}
