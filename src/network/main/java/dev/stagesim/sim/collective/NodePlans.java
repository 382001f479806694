package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.trace.RankTrace;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Plans of a trace's collectives, created on first use. */
final class NodePlans {
    private final RankTrace trace;
    private final @Nullable NodePlan[] made;

    NodePlans(RankTrace trace) {
        this.trace = trace;
        this.made = new NodePlan[trace.size()];
    }

    /** The plan of a collective that has started. */
    Optional<NodePlan> begun(int node) {
        return Optional.ofNullable(made[node]);
    }

    NodePlan plan(int node, CollectivePlanner planner) {
        NodePlan plan = made[node];
        if (plan == null) {
            plan = planner.plan(trace, node);
            made[node] = plan;
        }
        return plan;
    }
}
