package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.cache.KvEventBus;
import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.Router;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.PrefixIndex;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The instances of one role, their router, and the requests that wait until an instance opens. */
public final class PoolRouter {
    private final int base;
    private final Router router;
    private final AvailableInstances available;
    private final RoutingPolicyOverride routing;
    private final Signals signals;
    private final ArrayDeque<Integer> pending = new ArrayDeque<>();

    /** Index of the prompts sent to decode instances that may prefill, or null if absent. */
    private final @Nullable PrefixIndex index;

    /** KV events of the instances, or null if none are published. */
    final @Nullable KvEventBus kvEvents;

    /** Creates the router of the instances from number {@code base} on. */
    PoolRouter(
            int base,
            Router router,
            AvailableInstances available,
            Signals signals,
            RoutingPolicyOverride routing,
            @Nullable PrefixIndex index,
            @Nullable KvEventBus kvEvents) {
        this.kvEvents = kvEvents;
        this.index = index;
        this.base = base;
        this.router = router;
        this.available = available;
        this.routing = routing;
        this.signals = signals;
    }

    /** Returns the number of the first instance. */
    int first() {
        return base;
    }

    /** Returns the number of open instances. */
    int open() {
        return available.count();
    }

    ArrayDeque<Integer> pending() {
        return pending;
    }

    /** Chooses an instance for a request without sending it. */
    int decide(int request, boolean hasPrompt, double now) {
        signals.look(now);
        return routing.choose(this, request, hasPrompt, now);
    }

    /** Sends a request to an instance. */
    void take(int request, int instance, boolean hasPrompt) {
        if (kvEvents != null && hasPrompt) {
            kvEvents.routed(request, instance - base);
        }
        router.sent(request, instance - base, hasPrompt);
        if (index != null) {
            index.sent(request, instance - base);
        }
    }

    /** Returns the tokens of a prompt that the index expects in an instance's cache. */
    int cached(int request, int instance) {
        int tokens = 0;
        if (index != null) {
            index.lookUp(request);
            for (int i = 0; i < index.found(); i++) {
                tokens = index.instance(i) == instance - base ? index.tokens(i) : tokens;
            }
        }
        return tokens;
    }

    /** Returns the instance that the router chooses. */
    int choose(int request, boolean hasPrompt) {
        return base + router.choose(request, hasPrompt || index != null);
    }

    /**
     * Returns the instance that the router would choose without the instance {@code without}. The router then treats
     * the cache of that instance as empty.
     */
    public int choose(int request, boolean hasPrompt, int without) {
        close(without);
        int chosen = choose(request, hasPrompt);
        open(without);
        return chosen;
    }

    public boolean isOpen(int instance) {
        return instance >= base && instance < base + available.size() && available.isOpen(instance - base);
    }

    /** Returns the open instance at an index among all open ones except {@code excluded}, or -1 if there is none. */
    public int other(int rank, int excluded) {
        int remaining = rank;
        for (int i = 0; i < available.size(); i++) {
            if (available.isOpen(i) && base + i != excluded && remaining-- == 0) {
                return base + i;
            }
        }
        return -1;
    }

    void prefilled(int request, int instance) {
        router.prefilled(request, instance - base);
    }

    void done(int request, int instance, boolean hasOutput) {
        router.done(request, instance - base, hasOutput);
        if (index != null && hasOutput) {
            index.served(request, instance - base);
        }
    }

    void open(int instance) {
        available.open(instance - base);
        router.opened(instance - base);
        if (index != null) {
            index.forget(instance - base);
        }
    }

    void close(int instance) {
        available.close(instance - base);
        router.closed(instance - base);
    }
}
