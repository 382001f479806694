package dev.stagesim.sim.trace.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import java.util.ArrayList;
import java.util.List;

/** Conditions on the traces of all processors under which a simulation terminates. */
final class GeneratedTraces {
    private GeneratedTraces() {}

    /** Every node depends on earlier nodes, every message has two sides, and ring positions are in range. */
    static void assertSound(List<List<EtNode>> traces) {
        List<String> sent = new ArrayList<>();
        List<String> received = new ArrayList<>();
        for (int npu = 0; npu < traces.size(); npu++) {
            List<EtNode> nodes = traces.get(npu);
            assertThat(nodes).isNotEmpty();
            for (int i = 0; i < nodes.size(); i++) {
                EtNode node = nodes.get(i);
                assertThat(node.id()).isEqualTo(i);
                for (long parent : node.dataDeps()) {
                    assertThat(parent).as("%s", node).isBetween(0L, (long) i - 1);
                }
                if (node.type() == NodeType.COMM_SEND_NODE) {
                    assertThat(number(node, EtNames.COMM_SRC)).isEqualTo(npu);
                    sent.add(message(node));
                } else if (node.type() == NodeType.COMM_RECV_NODE) {
                    assertThat(number(node, EtNames.COMM_DST)).isEqualTo(npu);
                    received.add(message(node));
                }
            }
        }
        assertThat(received).containsExactlyInAnyOrderElementsOf(sent).doesNotHaveDuplicates();
    }

    static long number(EtNode node, String name) {
        return node.longAttribute(name).orElseThrow();
    }

    private static String message(EtNode node) {
        return number(node, EtNames.COMM_SRC) + ">" + number(node, EtNames.COMM_DST) + " tag "
                + number(node, EtNames.COMM_TAG) + " of " + number(node, EtNames.COMM_SIZE);
    }
}
