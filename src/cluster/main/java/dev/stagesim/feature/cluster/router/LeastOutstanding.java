package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.router.view.Loads;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Variant;

/** The instance with the fewest unfinished requests. */
public final class LeastOutstanding implements Router {
    @Variant("least_outstanding | The instance with the fewest unfinished requests. Ties go to the first instance.")
    public record Settings() implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new LeastOutstanding(group);
        }
    }

    private final Loads loads;

    private LeastOutstanding(RoutingGroup group) {
        loads = new Loads(group);
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        return loads.leastLoaded();
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        loads.add(instance, 1);
    }

    @Override
    public void done(int request, int instance, boolean hasOutput) {
        loads.add(instance, -1);
    }

    @Override
    public void opened(int instance) {
        loads.changed(instance);
    }

    @Override
    public void closed(int instance) {
        loads.changed(instance);
    }
}
