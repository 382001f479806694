package dev.stagesim.sim.collective;

import static dev.stagesim.sim.collective.TestSystem.collective;
import static dev.stagesim.sim.collective.TestSystem.message;
import static dev.stagesim.sim.collective.TestSystem.trace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.collective.procedure.Algorithm;
import dev.stagesim.sim.collective.procedure.Procedure;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.network.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The predicted number of messages is a tight upper bound of the simulated number. */
final class MessageCountTest {
    private static final int[] KINDS = {0, 2, 7, 6};
    private static final List<Procedure> FAMILIES =
            List.of(TestSystem.RING, TestSystem.DIRECT, TestSystem.HALVING_DOUBLING, TestSystem.DOUBLE_BINARY_TREE);

    @Test
    void boundsTheMessagesOfRandomMachines() {
        compare(10);
    }

    @Test
    @Tag("long")
    void boundsTheMessagesOfManyRandomMachines() {
        compare(600);
    }

    private static void compare(int seeds) {
        int folded = 0;
        int equal = 0;
        for (int seed = 0; seed < seeds; seed++) {
            Random random = new Random(seed);
            int kinds = 1 + random.nextInt(4);
            TestSystem machine = machine(random, kinds);
            List<RankTrace> traces = traces(random, machine.npus(), kinds);
            CollectiveSimulation.Messages expected = CollectiveSimulation.messages(machine.spec(), traces);
            SimulationResult result = machine.run(traces);
            assertThat(result.stuck()).as("seed %d", seed).isEmpty();
            assertThat(expected.sent())
                    .as("seed %d", seed)
                    .isBetween(
                            (double) result.traffic().messages(),
                            4.0 * result.traffic().messages());
            boolean isFolded = result.symmetry().simulatedNpus() < machine.npus();
            folded += isFolded ? 1 : 0;
            equal += expected.sent() == result.traffic().messages() ? 1 : 0;
            if (isFolded) {
                assertThat(expected.simulated()).as("seed %d", seed).isLessThan(expected.sent());
            } else if (!result.symmetry().note().contains("equivalent partners")) {
                assertThat(expected.simulated())
                        .as("seed %d " + result.symmetry().note(), seed)
                        .isEqualTo(expected.sent());
            }
        }
        assertThat(folded).isBetween(Math.max(1, seeds / 12), seeds - Math.max(1, seeds / 12));
        assertThat(equal).isGreaterThan(seeds / 2);
    }

    /**
     * Returns a machine for the first {@code kinds} kinds of collectives. Trees support only the first, and
     * halving-doubling the first three.
     */
    private static TestSystem machine(Random random, int kinds) {
        int families = kinds == 1 ? 4 : kinds < 4 ? 3 : 2;
        TestSystem machine = TestSystem.empty()
                .compat(random.nextInt(4) == 0 ? AstraCompat.ASTRA : AstraCompat.NONE)
                .symmetric(random.nextInt(4) > 0);
        List<Algorithm> algorithms = new ArrayList<>();
        int dims = 1 + random.nextInt(3);
        for (int d = 0; d < dims; d++) {
            machine.dimension(Topology.values()[random.nextInt(3)], 2 << random.nextInt(2), 50, 100);
            Procedure its = FAMILIES.get(random.nextInt(families));
            algorithms.add(new Algorithm(its, its.isWindowed() ? random.nextInt(3) : 0, false));
        }
        machine.algorithms(algorithms.toArray(Algorithm[]::new))
                .splits(1 + random.nextInt(9))
                .active(64);
        if (random.nextBoolean()) {
            machine.baseline();
        }
        if (random.nextInt(5) == 0) {
            machine.rendezvous();
        }
        return machine.group(1, 0, 1);
    }

    /** Returns collectives of all NPUs, of some dimensions and of a group, and occasional messages. */
    private static List<RankTrace> traces(Random random, int npus, int kinds) {
        List<EtNode> nodes = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        for (int id = 0; id < count; id++) {
            List<EtAttribute> more = new ArrayList<>();
            int which = random.nextInt(4);
            if (which == 0) {
                more.add(EtAttribute.ofBools("involved_dim", true, random.nextBoolean(), false));
            }
            EtNode node = collective(
                    id,
                    KINDS[random.nextInt(kinds)],
                    50_000 + random.nextInt(50_000),
                    more.toArray(EtAttribute[]::new));
            nodes.add(id == 0 ? node : node.withDataDeps(id - 1));
        }
        RankTrace all = trace(nodes.toArray(EtNode[]::new));
        List<RankTrace> traces = new ArrayList<>(Collections.nCopies(npus, all));
        int last = nodes.size();
        if (random.nextInt(4) == 0 && npus > 2) {
            nodes.add(collective(80, 2, 70_000, EtAttribute.ofText("pg_name", "1"))
                    .withDataDeps(0));
            RankTrace member = trace(nodes.toArray(EtNode[]::new));
            traces.set(0, member);
            traces.set(1, member);
            nodes.remove(last);
        } else if (random.nextInt(4) == 0) {
            nodes.add(message(90, true, 0, npus - 1, 64, 3));
            traces.set(0, trace(nodes.toArray(EtNode[]::new)));
            nodes.set(last, message(90, false, 0, npus - 1, 64, 3));
            traces.set(npus - 1, trace(nodes.toArray(EtNode[]::new)));
        }
        return traces;
    }
}
