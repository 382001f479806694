package dev.stagesim.feature.cluster.router.view;

import dev.stagesim.feature.cluster.instance.Signals;
import java.util.ArrayDeque;

/** Counts the requests sent to each instance within a time window, like vLLM's production stack. */
public final class RequestRates {
    private record Sent(double at, int instance) {}

    private final double window;
    private final Signals signals;
    private final ArrayDeque<Sent> last = new ArrayDeque<>();
    private final Loads counts;

    public RequestRates(RoutingGroup group, double window) {
        this.window = window;
        signals = group.signals();
        counts = new Loads(group);
    }

    /** Returns the instance with the fewest requests, the first if several. */
    public int leastLoaded() {
        while (!last.isEmpty() && last.getFirst().at() < signals.now() - window) {
            counts.add(last.removeFirst().instance(), -1);
        }
        return counts.leastLoaded();
    }

    public void sent(int instance) {
        last.addLast(new Sent(signals.now(), instance));
        counts.add(instance, 1);
    }

    public void changed(int instance) {
        counts.changed(instance);
    }
}
