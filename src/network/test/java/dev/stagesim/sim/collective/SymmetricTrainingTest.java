package dev.stagesim.sim.collective;

import static dev.stagesim.sim.collective.TestSystem.collective;
import static dev.stagesim.sim.collective.TestSystem.compute;
import static dev.stagesim.sim.collective.TestSystem.message;
import static dev.stagesim.sim.collective.TestSystem.trace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.collective.procedure.Procedure;
import dev.stagesim.sim.collective.result.SimulationObserver;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.network.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * NPUs with traces that differ only in groups and partners are folded, and the results equal an unfolded run exactly.
 */
final class SymmetricTrainingTest {
    @Test
    void matchesFullSimulation() {
        compare(10);
    }

    @Test
    @Tag("long")
    void matchesFullSimulationOfManyTrainings() {
        compare(300);
    }

    private static void compare(int seeds) {
        assertThat(used(false, seeds)).isBetween(seeds / 2, seeds);
        assertThat(used(true, seeds)).isBetween(seeds / 4, seeds - Math.max(1, seeds / 15));
    }

    private static int used(boolean isShared, int seeds) {
        int used = 0;
        for (int seed = 0; seed < seeds; seed++) {
            Traffic plainTraffic = new Traffic();
            Traffic foldedTraffic = new Traffic();
            SimulationResult plain = new Training(seed, isShared).run(false, plainTraffic);
            SimulationResult folded = new Training(seed, isShared).run(true, foldedTraffic);
            SymmetryTest.assertSame(seed, folded, plain);
            assertThat(foldedTraffic.pairs).as("seed %d", seed).isEqualTo(plainTraffic.pairs);
            used += folded.symmetry().simulatedNpus() < plain.symmetry().simulatedNpus() ? 1 : 0;
        }
        return used;
    }

    @Test
    void splitsClassWhenGroupsAreOrderedDifferently() {
        TestSystem machine =
                TestSystem.of(Topology.SWITCH, 4).compat(AstraCompat.NONE).symmetric(true);
        machine.group(1, 0, 1).group(4, 2, 3).group(2, 0, 1).group(3, 2, 3);
        List<RankTrace> aligned = List.of(inGroups(1, 2), inGroups(1, 2), inGroups(3, 4), inGroups(3, 4));
        assertThat(machine.run(aligned).symmetry().simulatedNpus()).isEqualTo(1);
        List<RankTrace> crossed = List.of(inGroups(1, 2), inGroups(1, 2), inGroups(4, 3), inGroups(4, 3));
        assertThat(machine.run(crossed).symmetry().simulatedNpus()).isEqualTo(2);
    }

    @Test
    void distinguishesGroupsWithAnyNumbers() {
        for (int bit : new int[] {8, 20, 21, 22, 23, 24, 29}) {
            for (boolean isShared : new boolean[] {false, true}) {
                TestSystem machine = TestSystem.of(Topology.SWITCH, 4).compat(AstraCompat.NONE);
                if (isShared) {
                    machine.shared();
                }
                int high = 1 << bit;
                machine.group(1, 0, 1).group(2, 2, 3).group(1 + high, 0, 2).group(2 + high, 1, 3);
                List<RankTrace> traces = new ArrayList<>();
                for (int rank = 0; rank < 4; rank++) {
                    EtNode second = inGroup(1, 1 + high + rank % 2, 50_000);
                    traces.add(trace(inGroup(0, 1 + rank / 2, 40_000), second.withDataDeps(0)));
                }
                Traffic foldedTraffic = new Traffic();
                SimulationResult folded = machine.symmetric(true).run(traces, foldedTraffic);
                assertThat(folded.symmetry().simulatedNpus())
                        .as(folded.symmetry().note())
                        .isEqualTo(1);
                Traffic plainTraffic = new Traffic();
                SymmetryTest.assertSame(bit, folded, machine.symmetric(false).run(traces, plainTraffic));
                assertThat(foldedTraffic.pairs).isEqualTo(plainTraffic.pairs);
            }
        }
    }

    /**
     * Different spellings of a number name the same group. A name that is not a number is rejected with and without
     * symmetry.
     */
    @Test
    void distinguishesGroupsWithAnySpelling() {
        TestSystem machine = TestSystem.of(Topology.SWITCH, 4)
                .compat(AstraCompat.NONE)
                .group(1, 0, 1)
                .group(2, 2, 3);
        for (String form : List.of("%d", " %d", "+%d", "%010d")) {
            List<RankTrace> traces = new ArrayList<>();
            for (int rank = 0; rank < 4; rank++) {
                traces.add(trace(named(0, form.formatted(1 + rank / 2), 40_000)));
            }
            SimulationResult folded = machine.symmetric(true).run(traces);
            assertThat(folded.symmetry().simulatedNpus()).as(form).isEqualTo(1);
            SymmetryTest.assertSame(0, folded, machine.symmetric(false).run(traces));
        }
        for (String unknown : List.of("all", "00", "-1", "3", "9999999999")) {
            List<RankTrace> traces = new ArrayList<>(Collections.nCopies(4, trace(named(0, "", 40_000))));
            traces.set(2, trace(named(0, unknown, 40_000)));
            for (boolean isSymmetric : new boolean[] {false, true}) {
                assertThatThrownBy(() -> machine.symmetric(isSymmetric).run(traces))
                        .as(unknown)
                        .isInstanceOf(StageException.class)
                        .hasMessageContaining("communicator group");
            }
        }
    }

    private static RankTrace inGroups(int first, int second) {
        return trace(inGroup(0, first, 40_000), inGroup(1, second, 50_000));
    }

    @Test
    void simulatesNpusIndividuallyWhenClassSendsToItself() {
        TestSystem machine =
                TestSystem.of(Topology.RING, 4).compat(AstraCompat.NONE).symmetric(true);
        List<RankTrace> traces = new ArrayList<>();
        for (int rank = 0; rank < 4; rank++) {
            int next = (rank + 1) % 4;
            int before = (rank + 3) % 4;
            traces.add(trace(message(0, true, rank, next, 64, 3), message(1, false, before, rank, 64, 3)));
        }
        SimulationResult result = machine.run(traces);
        assertThat(result.symmetry().note()).contains("send to each other");
        assertThat(result.symmetry().simulatedNpus()).isEqualTo(4);
    }

    private static EtNode inGroup(long id, int group, long bytes) {
        return named(id, Integer.toString(group), bytes);
    }

    private static EtNode named(long id, String group, long bytes) {
        return collective(id, 0, bytes, EtAttribute.ofText("pg_name", group));
    }

    /** Records the bytes that every NPU sent to every other NPU. */
    private static final class Traffic implements SimulationObserver {
        private final Map<List<Integer>, List<Long>> pairs =
                new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));

        @Override
        public void message(int source, int destination, long bytes, long nowNs) {
            traffic(source, destination, 1, bytes);
        }

        @Override
        public void traffic(int source, int destination, long messages, long bytes) {
            pairs.merge(
                    List.of(source, destination),
                    List.of(messages, bytes),
                    (a, b) -> List.of(a.get(0) + b.get(0), a.get(1) + b.get(1)));
        }

        @Override
        public void restarts() {
            pairs.clear();
        }

        @Override
        public boolean needsMessages() {
            return true;
        }
    }

    /**
     * Pipeline stages exchange micro-batches, tensor-parallel NPUs share layers, and replicas reduce gradients, with
     * ranks in any order of the three.
     */
    private static final class Training {
        private final Random random;
        private final int[] size = new int[3];
        private final List<Integer> order = new ArrayList<>(List.of(0, 1, 2));
        private final TestSystem machine;
        private final int microbatches;
        private final boolean isMixed;
        private final int firstBit;
        private final long bytes;

        Training(int seed, boolean isShared) {
            random = new Random(seed);
            firstBit = seed % 2 == 0 ? 0 : 22;
            for (int axis = 0; axis < 3; axis++) {
                size[axis] = 1 + random.nextInt(4);
            }
            size[1] = Math.max(2, size[1]);
            Collections.shuffle(order, random);
            microbatches = 1 + random.nextInt(3);
            isMixed = random.nextInt(5) == 0;
            bytes = 1_000L + random.nextInt(100_000);
            machine = TestSystem.empty().compat(AstraCompat.NONE);
            if (isShared) {
                machine.shared();
            }
            Topology[] topologies = {Topology.RING, Topology.SWITCH, Topology.FULLY_CONNECTED};
            Procedure[] families = {TestSystem.RING, TestSystem.DIRECT};
            List<Procedure> used = new ArrayList<>();
            if (random.nextInt(3) == 0) {
                machine.dimension(topologies[random.nextInt(3)], size[0] * size[1] * size[2], 50, 100);
                used.add(families[random.nextInt(2)]);
            } else {
                for (int axis : order) {
                    if (size[axis] > 1) {
                        machine.dimension(topologies[random.nextInt(3)], size[axis], 50, 100L * random.nextInt(3));
                        used.add(families[random.nextInt(2)]);
                    }
                }
            }
            machine.family(used.toArray(Procedure[]::new))
                    .splits(1 + random.nextInt(3))
                    .active(1 + random.nextInt(2))
                    .queues(1 + random.nextInt(2));
        }

        SimulationResult run(boolean isSymmetric, SimulationObserver observer) {
            List<Integer> numbers = new ArrayList<>();
            for (int i = 1; i <= 3 * machine.npus(); i++) {
                numbers.add(i << firstBit);
            }
            if (isMixed) {
                Collections.shuffle(numbers, random);
            }
            int[][] groups = new int[2][machine.npus()];
            int made = 0;
            for (int kind = 0; kind < 2; kind++) {
                int axis = kind == 0 ? 0 : 2;
                for (int rank = 0; rank < machine.npus(); rank++) {
                    if (at(rank, axis) == 0 && size[axis] > 1) {
                        int id = numbers.get(made++);
                        Integer[] ranks = new Integer[size[axis]];
                        for (int i = 0; i < ranks.length; i++) {
                            ranks[i] = moved(rank, axis, i);
                            groups[kind][ranks[i]] = id;
                        }
                        machine.group(id, ranks);
                    }
                }
            }
            List<RankTrace> traces = new ArrayList<>();
            int slow = random.nextInt(4) == 0 ? random.nextInt(machine.npus()) : -1;
            int micros = 1 + random.nextInt(4);
            for (int rank = 0; rank < machine.npus(); rank++) {
                traces.add(work(rank, groups[0][rank], groups[1][rank], rank == slow ? micros + 1 : micros));
            }
            return machine.symmetric(isSymmetric).run(traces, observer);
        }

        private RankTrace work(int rank, int layers, int copies, int micros) {
            List<EtNode> nodes = new ArrayList<>();
            int stage = at(rank, 1);
            for (int batch = 0; batch < 2 * microbatches; batch++) {
                boolean isBack = batch >= microbatches;
                int before = stage + (isBack ? 1 : -1);
                int after = stage + (isBack ? -1 : 1);
                if (before >= 0 && before < size[1]) {
                    add(nodes, message(nodes.size(), false, moved(rank, 1, before), rank, bytes, 1 + batch));
                }
                add(nodes, compute(nodes.size(), isBack ? 2 * micros : micros));
                if (layers > 0) {
                    add(nodes, inGroup(nodes.size(), layers, bytes));
                }
                if (after >= 0 && after < size[1]) {
                    EtNode send = message(nodes.size(), true, rank, moved(rank, 1, after), bytes, 1 + batch);
                    nodes.add(send.withDataDeps(nodes.size() - 1));
                    add(nodes, compute(nodes.size(), 1));
                }
            }
            if (copies > 0) {
                add(nodes, inGroup(nodes.size(), copies, 3 * bytes));
            }
            return trace(nodes.toArray(EtNode[]::new));
        }

        private static void add(List<EtNode> nodes, EtNode node) {
            nodes.add(nodes.isEmpty() ? node : node.withDataDeps(nodes.size() - 1));
        }

        private int stride(int axis) {
            int stride = 1;
            for (int i = 0; order.get(i) != axis; i++) {
                stride *= size[order.get(i)];
            }
            return stride;
        }

        private int at(int rank, int axis) {
            return rank / stride(axis) % size[axis];
        }

        private int moved(int rank, int axis, int to) {
            return rank + (to - at(rank, axis)) * stride(axis);
        }
    }
}
