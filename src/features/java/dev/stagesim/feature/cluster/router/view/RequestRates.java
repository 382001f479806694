package dev.stagesim.feature.cluster.router.view;

import dev.stagesim.feature.cluster.instance.Signals;
import java.util.ArrayDeque;

/** Requests sent to each instance within a window, as vLLM's production stack counts them. */
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

    /** The instance with the fewest, the first of equals. */
    public int least() {
        while (!last.isEmpty() && last.getFirst().at() < signals.now() - window) {
            counts.add(last.removeFirst().instance(), -1);
        }
        return counts.least();
    }

    public void sent(int instance) {
        last.addLast(new Sent(signals.now(), instance));
        counts.add(instance, 1);
    }

    public void changed(int instance) {
        counts.changed(instance);
    }
}
