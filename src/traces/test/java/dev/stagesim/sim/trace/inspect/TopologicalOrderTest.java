package dev.stagesim.sim.trace.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import org.junit.jupiter.api.Test;

final class TopologicalOrderTest {
    /** Orders nodes with ids from 1; each argument lists the dependencies of a node. */
    private static TopologicalOrder order(long[]... dependencies) {
        TraceGraph graph = new TraceGraph("t.et", true, true);
        for (int i = 0; i < dependencies.length; i++) {
            graph.add(EtNode.of(i + 1, "n", NodeType.COMP_NODE).withDataDeps(dependencies[i]));
        }
        return TopologicalOrder.of(graph.build());
    }

    private static long[] on(long... ids) {
        return ids;
    }

    @Test
    void ordersNodesAfterTheirDependencies() {
        TopologicalOrder order = order(on(2), on(), on(1));
        assertThat(order.isComplete()).isTrue();
        assertThat(order.order()).containsExactly(1, 0, 2);
        assertThat(order.cycle()).isEmpty();
    }

    @Test
    void returnsACycleWithoutTheNodesAfterIt() {
        TopologicalOrder order = order(on(), on(3), on(2), on(2));
        assertThat(order.isComplete()).isFalse();
        assertThat(order.order()).containsExactly(0);
        assertThat(order.cycle()).containsExactly(1, 2);
    }

    @Test
    void ignoresDependenciesOnMissingNodes() {
        assertThat(order(on(99)).isComplete()).isTrue();
    }
}
