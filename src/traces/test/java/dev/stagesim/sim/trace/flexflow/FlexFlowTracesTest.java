package dev.stagesim.sim.trace.flexflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlexFlowTracesTest {
    private static final String GRAPH = "digraph g {\n"
            + "  node0 [color=red,label=\"{device_id=0|A|Forward|COMP_NODE|simulated_run_time=2.5e-06}\",shape=record];\n"
            + "  node0 -> node1; node0 -> node2;\n"
            + "  node1 [label=\"{device_id=0|x|Comm|COMM_SEND_RECV_NODE|comm_src=0|comm_dst=1|comm_size=7}\"];\n"
            + "  node1 -> node2;\n"
            + "  node2 [label=\"{device_id=1|B|Forward|COMP_NODE|simulated_run_time=1e-09}\"];\n}";

    @Test
    void createsBothEndsOfATransfer() {
        FlexFlowTraces traces = new FlexFlowTraces("g.graph", GRAPH);
        assertThat(traces.npus()).containsExactly(0, 1);

        List<EtNode> first = traces.nodes(0);
        List<EtNode> second = traces.nodes(1);
        assertThat(first).extracting(EtNode::type).containsExactly(NodeType.COMP_NODE, NodeType.COMM_SEND_NODE);
        assertThat(second).extracting(EtNode::type).containsExactly(NodeType.COMM_RECV_NODE, NodeType.COMP_NODE);
        assertThat(first.get(0).durationMicros()).isEqualTo(2);
        assertThat(second.get(1).durationMicros()).isEqualTo(1);
        assertThat(first.get(1).dataDeps()).containsExactly(0);
        // The computation's other parent is on the other processor.
        assertThat(second.get(1).dataDeps()).containsExactly(1);
        assertThat(second.get(0).longAttribute(EtNames.COMM_TAG))
                .isEqualTo(first.get(1).longAttribute(EtNames.COMM_TAG));
    }

    @Test
    void reportsAllErrors() {
        String bad = GRAPH.replace("COMP_NODE|simulated_run_time=2.5e-06", "GPU_NODE|simulated_run_time=2.5e-06")
                .replace("comm_dst=1", "comm_dst=one");
        assertThatThrownBy(() -> new FlexFlowTraces("g.graph", bad))
                .hasMessageContaining("g.graph:2: node0 has the unknown type 'GPU_NODE'")
                .hasMessageContaining("g.graph:4: expected comm_dst=<number>, found 'comm_dst=one'");
        assertThatThrownBy(() -> new FlexFlowTraces("g.graph", "digraph {}"))
                .hasMessageContaining("expected a DOT graph of tasks");
    }
}
