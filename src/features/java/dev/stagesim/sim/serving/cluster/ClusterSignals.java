package dev.stagesim.sim.serving.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What routers, admission and scalers know of the instances.
 *
 * <p>Scraped values are read at a decision once the last reading is old enough; before the first reading they are 0.
 * Requests in flight are the router's own count and always exact.
 */
final class ClusterSignals {
    /**
     * An instance as a decision sees it.
     *
     * @param waiting q
     * @param running b
     * @param kvShare u, used share of its blocks
     * @param inFlight f, requests sent to it and not done
     * @param capacity tokens that its blocks hold
     * @param tokensInUse tokens that its used blocks hold
     */
    record View(
            BlisInstance instance,
            int waiting,
            int running,
            double kvShare,
            int inFlight,
            Set<String> adapters,
            long capacity,
            long tokensInUse) {
        int load() {
            return waiting + running + inFlight;
        }
    }

    private static final class Reading {
        private long at;
        private int waiting;
        private int running;
        private double kvShare;
        private Set<String> adapters = Set.of();
        private long capacity;
        private long tokensInUse;
        private Set<Integer> findable;

        Reading(BlisInstance instance) {
            findable = instance.cache().findable();
        }
    }

    private final long refresh;
    private final long cacheDelay;
    private final BlockChains chains;
    private final Map<BlisInstance, Reading> readings = new LinkedHashMap<>();
    private long copiedAt;

    ClusterSignals(BlisConfig.Routing routing, BlockChains chains) {
        refresh = routing.refreshUs();
        cacheDelay = routing.cacheDelayUs();
        this.chains = chains;
    }

    /** The routable ones of these instances, in their order. */
    List<View> views(List<BlisInstance> instances, long now) {
        copyCaches(now);
        List<View> views = new ArrayList<>();
        for (BlisInstance instance : instances) {
            if (instance.isRoutable()) {
                views.add(view(instance, now));
            }
        }
        return views;
    }

    /** Blocks of a request's prompt that an instance is known to hold. */
    int cached(BlisInstance instance, BlisRequest request) {
        int[] chain = request.chain(chains);
        return cacheDelay == 0
                ? instance.cache().cached(chain)
                : HashedBlocks.cached(chain, reading(instance).findable);
    }

    /** Makes an instance known. */
    void add(BlisInstance instance) {
        readings.put(instance, new Reading(instance));
    }

    private Reading reading(BlisInstance instance) {
        Reading reading = readings.get(instance);
        if (reading == null) {
            throw new IllegalStateException(instance.name() + " is not known");
        }
        return reading;
    }

    private void copyCaches(long now) {
        if (cacheDelay > 0 && now - copiedAt >= cacheDelay) {
            readings.forEach(
                    (instance, reading) -> reading.findable = instance.cache().findable());
            copiedAt = now;
        }
    }

    private View view(BlisInstance instance, long now) {
        Reading reading = reading(instance);
        if (refresh == 0 || now - reading.at >= refresh) {
            BlisEngine engine = instance.engine();
            reading.at = now;
            reading.waiting = instance.waiting();
            reading.running = instance.running();
            reading.kvShare = instance.cache().utilization();
            reading.adapters = instance.adapters();
            reading.capacity = (long) engine.blocks() * engine.blockSize();
            reading.tokensInUse = (long) instance.cache().used() * engine.blockSize();
        }
        return new View(
                instance,
                reading.waiting,
                reading.running,
                reading.kvShare,
                instance.inFlight,
                reading.adapters,
                reading.capacity,
                reading.tokensInUse);
    }
}
