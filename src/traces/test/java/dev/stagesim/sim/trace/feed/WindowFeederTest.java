package dev.stagesim.sim.trace.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Feeding across windows; golden suites cover the remaining behaviour. */
class WindowFeederTest {
    private static EtNode node(long id, long... parents) {
        return EtNode.of(id, "n" + id, NodeType.COMP_NODE).withDataDeps(parents);
    }

    private static WindowFeeder feeder(int window, EtNode... nodes) {
        Iterator<EtNode> iterator = List.of(nodes).iterator();
        return new WindowFeeder(() -> iterator.hasNext() ? iterator.next() : null, window);
    }

    private static List<Long> drain(Feeder feeder) {
        List<Long> order = new ArrayList<>();
        for (EtNode node = feeder.take(); node != null; node = feeder.take()) {
            order.add(node.id());
            feeder.finish(node);
        }
        return order;
    }

    @Test
    void losesAChildWhenItsParentCompletedBeforeItWasRead() {
        WindowFeeder feeder = feeder(2, node(1), node(2, 1), node(3, 1));
        assertThat(drain(feeder)).containsExactly(1L, 2L);
        assertThat(feeder.isOpen()).isTrue();
    }

    @Test
    void readsFurtherWindowsUntilForwardReferencesAreResolved() {
        WindowFeeder feeder = feeder(1, node(1, 9), node(2), node(9));
        assertThat(drain(feeder)).containsExactly(2L, 9L, 1L);
        assertThat(feeder.isOpen()).isFalse();
    }

    @Test
    void returnsTakenNodesAgainAfterTheNextWindow() {
        WindowFeeder feeder = feeder(2, node(1), node(2), node(3));
        EtNode first = feeder.take();
        feeder.finish(feeder.take());
        assertThat(feeder.take()).isEqualTo(first);
    }

    @Test
    void ordersIdsAsUnsignedNumbers() {
        WindowFeeder feeder = feeder(9, node(-1), node(5), node(1));
        assertThat(drain(feeder)).containsExactly(1L, 5L, -1L);
    }
}
