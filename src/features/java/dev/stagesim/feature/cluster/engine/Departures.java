package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.autoscaler.Fleet;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.Life;
import dev.stagesim.feature.cluster.instance.Life.Stage;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.sim.core.Tournament;
import dev.stagesim.sim.serving.policy.LiveRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes requests off engines, routers and links, when they are done there or given up. */
final class Departures {
    private final Layout layout;
    private final List<Instance> instances;
    private final Life life;
    private final Handovers handovers;
    private final Fleet fleet;
    private final Tournament next;

    /** With the times of the next events of the engines. */
    Departures(Layout layout, Life life, Handovers handovers, Fleet fleet, Tournament next) {
        this.layout = layout;
        this.instances = layout.instances();
        this.life = life;
        this.handovers = handovers;
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
        LiveRequest sender = handovers.takeSender(request);
        if (sender != null) {
            moved(life.first[request], sender, false, now);
            leave(instances.get(life.first[request]), now);
        }
    }

    /** A request needs an instance no longer. */
    void leave(Instance instance, double now) {
        instance.present--;
        fleet.emptied(instance, now);
    }

    /** Takes a request off all engines and routers but an engine that is dead. */
    void detach(int request, @Nullable Instance dead, double now) {
        Instance first = instances.get(life.first[request]);
        if (life.stage[request] == Stage.SENT || life.stage[request] == Stage.IN_FIRST) {
            Front front = layout.front(first.pool.role());
            if (Double.isNaN(life.firstToken[request])) {
                front.prompted(request, first.number);
            }
            front.done(request, first.number, false);
            withdraw(request, 2 * request, first, dead, Stage.IN_FIRST, now);
            return;
        }
        LiveRequest sender = handovers.takeSender(request);
        LiveRequest receiver = handovers.takeReceiver(request);
        if (life.second[request] >= 0) {
            Instance second = instances.get(life.second[request]);
            layout.front(PoolRole.DECODE).done(request, second.number, false);
            handovers.stop(request, now);
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
            if (life.stage[request] == inside) {
                instance.withdraw(place, now);
                instance.compareBy(next);
            }
            leave(instance, now);
        }
        instance.forget(place);
    }
}
