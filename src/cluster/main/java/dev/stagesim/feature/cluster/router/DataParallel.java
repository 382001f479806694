package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.serving.cluster.DataParallelBalancer;
import java.util.ArrayList;
import java.util.List;

/** The load balancer of vLLM's data-parallel front ends. */
final class DataParallel implements Router {
    @Variant("data_parallel | vLLM's data-parallel front ends: the instance with the fewest requests."
            + " Waiting requests count up to four times if the KV cache is full. Loads are those of the last"
            + " report plus the requests sent since.")
    record Settings(
            @Key("Number of front ends. They receive requests in turn and do not share load information. | 1 |"
                            + " 1..1000")
                    int clients,
            @Key("Interval between load reports. | 100 | ms | 0.001..1000000000") double reportMs)
            implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new DataParallel(this, group);
        }

        @Override
        public boolean readsSignals() {
            return true;
        }
    }

    private static final double MS_PER_S = 1e3;

    private final AvailableInstances members;
    private final Signals signals;
    private final double period;
    private final List<DataParallelBalancer> clients = new ArrayList<>();
    private final int size;

    /** Front end by request. */
    private final int[] client;

    private int next;
    private double reported = Double.NEGATIVE_INFINITY;

    private DataParallel(Settings settings, RoutingGroup group) {
        members = group.members();
        signals = group.signals();
        size = group.size();
        period = settings.reportMs() / MS_PER_S;
        for (int i = 0; i < settings.clients(); i++) {
            clients.add(new DataParallelBalancer(size, settings.clients(), i));
        }
        client = new int[group.prompts().trace().size()];
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        double last = Math.floor(signals.now() / period);
        if (last > reported) {
            reported = last;
            report();
        }
        return clients.get(next).choose(members::isOpen);
    }

    private void report() {
        for (int i = 0; i < size; i++) {
            int waiting = (int) signals.get(i, Signals.WAITING);
            int running = (int) signals.get(i, Signals.RUNNING);
            for (DataParallelBalancer balancer : clients) {
                balancer.report(i, waiting, running, signals.get(i, Signals.KV_USAGE));
            }
        }
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        client[request] = next;
        clients.get(next).sent(instance);
        next = (next + 1) % clients.size();
    }

    @Override
    public void done(int request, int instance, boolean hasOutput) {
        clients.get(client[request]).done(instance);
    }
}
