package dev.stagesim.sim.collective;

import static dev.stagesim.sim.collective.TestSystem.compute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.collective.trace.RankTraceBuilder;
import dev.stagesim.sim.trace.feed.FeederVersion;
import org.junit.jupiter.api.Test;

/** Rejects exactly the traces that the v1 feeder reads in parts. */
final class FirstFeederTest {
    private static RankTrace read(int window, EtNode... nodes) {
        RankTraceBuilder builder = new RankTraceBuilder("trace", FeederVersion.V1, true, window);
        for (EtNode node : nodes) {
            builder.add(node);
        }
        return builder.build();
    }

    private static Problem refusal(int window, EtNode... nodes) {
        return catchThrowableOfType(StageException.class, () -> read(window, nodes))
                .problems()
                .get(0);
    }

    @Test
    void rejectsChainLongerThanWindow() {
        EtNode[] chain = {
            compute(1, 1), compute(2, 1).withDataDeps(1), compute(3, 1).withDataDeps(2)
        };
        assertThat(read(3, chain).size()).isEqualTo(3);
        assertThat(refusal(2, chain).render())
                .contains("trace: the feeder v1 reads 2 of its 3 nodes ahead")
                .contains("would never start")
                .contains("trace.feeder=v3 has no window");
    }

    @Test
    void readsAheadUntilParentsAreKnown() {
        EtNode[] forward = {compute(1, 1).withDataDeps(4), compute(2, 1), compute(3, 1), compute(4, 1)};
        assertThat(read(1, forward).size()).isEqualTo(4);
        EtNode[] orphan = {compute(1, 1).withDataDeps(9), compute(2, 1), compute(3, 1)};
        assertThat(read(1, orphan).size()).isEqualTo(3);
        EtNode[] oneMore = {compute(1, 1).withDataDeps(2), compute(2, 1), compute(3, 1)};
        assertThat(refusal(1, oneMore).render()).contains("reads 2 of its 3");
    }
}
