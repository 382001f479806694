package dev.stagesim.sim.collective;

import static dev.stagesim.sim.collective.TestSystem.collective;
import static dev.stagesim.sim.collective.TestSystem.compute;
import static dev.stagesim.sim.collective.TestSystem.message;
import static dev.stagesim.sim.collective.TestSystem.trace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.network.Topology;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Work that stops the reference, and its result in the default mode. */
final class ReferenceFailuresTest {
    private static final EtNode HOST = EtNode.of(0, "host", NodeType.of(4), EtAttribute.ofBool("is_cpu_op", true))
            .withDuration(1);

    private static TestSystem pair() {
        return TestSystem.of(Topology.SWITCH, 2);
    }

    private static List<RankTrace> withHost(EtNode... more) {
        EtNode[] receiver = {HOST, message(1, false, 0, 1, 1000, 3), more.length > 0 ? more[0] : HOST};
        return List.of(
                trace(message(1, true, 0, 1, 1000, 3)),
                more.length > 0 ? trace(receiver) : trace(receiver[0], receiver[1]));
    }

    @Test
    void stopsWhenMessageEndsNpuThatUsedHost() {
        // 1 us on the host, and the message arrives after 1,018 ns.
        assertThatThrownBy(() -> pair().run(withHost()))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("finishes when a message arrives");
        assertThat(pair().compat(AstraCompat.NONE).run(withHost()).finishNs()).containsExactly(1018, 1018);
    }

    @Test
    void finishesWhenPlannedEventEndsNpuThatUsedHost() {
        SimulationResult result = pair().run(withHost(compute(2, 5)));
        assertThat(result.finishNs()).containsExactly(1018, 5000);
        assertThat(result.statistics().get(1).orElseThrow().isReference()).isFalse();
    }

    @Test
    void stopsWhenOnlyInvalidNodeRuns() {
        RankTrace invalid = trace(EtNode.of(0, "invalid", NodeType.of(0)));
        assertThatThrownBy(() -> pair().run(invalid)).hasMessageContaining("at time 0");
    }

    @Test
    void rejectsRooflineNodeWithoutOperationsOnlyInReferenceMode() {
        RankTrace none = trace(EtNode.of(
                0, "none", NodeType.of(4), EtAttribute.ofLong("num_ops", 0), EtAttribute.ofLong("tensor_size", 4)));
        assertThatThrownBy(() -> pair().roofline(1e12).run(none)).hasMessageContaining("num_ops is 0");
        assertThat(pair().roofline(1e12).compat(AstraCompat.NONE).run(none).finishNs())
                .containsExactly(0, 0);
    }

    @Test
    void rejectsUnknownNodeType() {
        for (AstraCompat compat : List.of(AstraCompat.ASTRA, AstraCompat.NONE)) {
            EtNode known = EtNode.of(0, "eight", NodeType.of(0));
            RankTrace unknown = trace(KeyRecord.with(
                    EtNode.class, known, Map.of("id", 0, "typeNumber", 8, "startTimeMicros", 0, "durationMicros", 0)));
            assertThatThrownBy(() -> pair().compat(compat).run(unknown))
                    .hasMessageContaining("node 0 (eight): its type");
        }
    }

    @Test
    void rejectsTextPriority() {
        RankTrace text = trace(collective(0, 0, 1000, EtAttribute.ofText("comm_priority", "1")));
        assertThatThrownBy(() -> pair().run(text)).hasMessageContaining("comm_priority must be a whole number");
    }

    @Test
    void rejectsBroadcastWithoutSizeOnlyInReferenceMode() {
        EtNode broadcast = EtNode.of(0, "broadcast", NodeType.of(7), EtAttribute.ofLong("comm_type", 5))
                .withDuration(2);
        assertThatThrownBy(() -> pair().run(trace(broadcast))).hasMessageContaining("comm_size is missing");
        assertThat(pair().compat(AstraCompat.NONE).run(trace(broadcast)).finishNs())
                .containsExactly(2000, 2000);
    }
}
