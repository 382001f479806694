package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.autoscaler.Fleet;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.instance.RequestTimeline.Stage;
import dev.stagesim.sim.core.Tournament;
import dev.stagesim.sim.serving.policy.LiveRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes requests off engines, routers and links, when they are done there or given up. */
final class RequestRemoval {
    private final ClusterTopology topology;
    private final List<Instance> instances;
    private final RequestTimeline timeline;
    private final KvHandoffs handoffs;
    private final Fleet fleet;
    private final Tournament next;

    /** With the times of the next events of the engines. */
    RequestRemoval(
            ClusterTopology topology, RequestTimeline timeline, KvHandoffs handoffs, Fleet fleet, Tournament next) {
        this.topology = topology;
        this.instances = topology.instances();
        this.timeline = timeline;
        this.handoffs = handoffs;
        this.fleet = fleet;
        this.next = next;
    }

    /** Keys and values of a request have come to an instance, or have been taken from it. */
    void moved(int number, LiveRequest who, boolean isHere, double now) {
        Instance instance = instances.get(number);
        instance.moved(who, isHere, now);
        instance.compareBy(next);
    }

    /** The first instance need not keep what it computed of a request any longer. */
    void release(int request, double now) {
        LiveRequest sender = handoffs.takeSender(request);
        if (sender != null) {
            moved(timeline.first[request], sender, false, now);
            leave(instances.get(timeline.first[request]), now);
        }
    }

    /** A request needs an instance no longer. */
    void leave(Instance instance, double now) {
        instance.present--;
        fleet.emptied(instance, now);
    }

    /** Takes a request off all engines and routers but an engine that is dead. */
    void detach(int request, @Nullable Instance dead, double now) {
        Instance first = instances.get(timeline.first[request]);
        if (timeline.stage[request] == Stage.SENT || timeline.stage[request] == Stage.IN_FIRST) {
            PoolRouter poolRouter = topology.poolRouter(first.pool.role());
            if (Double.isNaN(timeline.firstToken[request])) {
                poolRouter.prompted(request, first.number);
            }
            poolRouter.done(request, first.number, false);
            withdraw(request, 2 * request, first, dead, Stage.IN_FIRST, now);
            return;
        }
        LiveRequest sender = handoffs.takeSender(request);
        LiveRequest receiver = handoffs.takeReceiver(request);
        if (timeline.second[request] >= 0) {
            Instance second = instances.get(timeline.second[request]);
            topology.poolRouter(PoolRole.DECODE).done(request, second.number, false);
            handoffs.stop(request, now);
            withdraw(request, 2 * request + 1, second, dead, Stage.IN_SECOND, now);
            if (receiver != null && second != dead) {
                // what was being loaded is given up as soon as it is here
                moved(second.number, receiver, true, now);
            }
        }
        if (sender != null && first != dead) {
            moved(first.number, sender, false, now);
            leave(first, now);
        }
    }

    private void withdraw(
            int request, int place, Instance instance, @Nullable Instance dead, Stage inside, double now) {
        if (instance != dead) {
            if (timeline.stage[request] == inside) {
                instance.withdraw(place, now);
                instance.compareBy(next);
            }
            leave(instance, now);
        }
        instance.forget(place);
    }
}
