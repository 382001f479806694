package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.autoscaler.Fleet;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.instance.RequestTimeline.Stage;
import dev.stagesim.sim.core.Tournament;
import dev.stagesim.sim.serving.policy.KvRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Removes requests from engines, routers and links when they are done or aborted. */
final class RequestRemoval {
    private final ClusterTopology topology;
    private final List<Instance> instances;
    private final RequestTimeline timeline;
    private final KvHandoffs handoffs;
    private final Fleet fleet;
    private final Tournament next;

    /** @param next tournament tree with the time of each engine's next event */
    RequestRemoval(
            ClusterTopology topology, RequestTimeline timeline, KvHandoffs handoffs, Fleet fleet, Tournament next) {
        this.topology = topology;
        this.instances = topology.instances();
        this.timeline = timeline;
        this.handoffs = handoffs;
        this.fleet = fleet;
        this.next = next;
    }

    /** Reports to an instance that the KV blocks of a request have arrived or have been transferred away. */
    void moved(int number, KvRequest kvRequest, boolean isHere, double now) {
        Instance instance = instances.get(number);
        instance.moved(kvRequest, isHere, now);
        instance.compareBy(next);
    }

    /** Releases the KV blocks of a request on its prefill instance. */
    void release(int request, double now) {
        KvRequest sender = handoffs.takeSender(request);
        if (sender != null) {
            moved(timeline.first[request], sender, false, now);
            leave(instances.get(timeline.first[request]), now);
        }
    }

    /** Removes a request from the count of an instance. */
    void leave(Instance instance, double now) {
        instance.present--;
        fleet.emptied(instance, now);
    }

    /** Removes a request from all engines and routers except a failed engine. */
    void detach(int request, @Nullable Instance dead, double now) {
        Instance first = instances.get(timeline.first[request]);
        KvRequest sender = handoffs.takeSender(request);
        KvRequest receiver = handoffs.takeReceiver(request);
        boolean isBefore =
                switch (timeline.stage[request]) {
                    case SENT, RESERVING, IN_FIRST -> true;
                    default -> false;
                };
        if (isBefore) {
            PoolRouter poolRouter = topology.poolRouter(first.pool.role());
            if (Double.isNaN(timeline.firstToken[request])) {
                poolRouter.prefilled(request, first.number);
            }
            poolRouter.done(request, first.number, false);
            withdraw(2 * request, first, dead, timeline.stage[request] == Stage.IN_FIRST, now);
        }
        if (timeline.second[request] >= 0) {
            Instance second = instances.get(timeline.second[request]);
            topology.poolRouter(PoolRole.DECODE).done(request, second.number, false);
            handoffs.stop(request, now);
            boolean isInside =
                    timeline.stage[request] == Stage.IN_SECOND || (isBefore && timeline.stage[request] != Stage.SENT);
            withdraw(2 * request + 1, second, dead, isInside, now);
            if (receiver != null && second != dead) {
                // a pending load is released on arrival
                moved(second.number, receiver, true, now);
            }
        }
        if (sender != null && first != dead) {
            moved(first.number, sender, false, now);
            leave(first, now);
        }
    }

    private void withdraw(int place, Instance instance, @Nullable Instance dead, boolean isInside, double now) {
        if (instance != dead) {
            if (isInside) {
                instance.withdraw(place, now);
                instance.compareBy(next);
            }
            leave(instance, now);
        }
        instance.forget(place);
    }
}
