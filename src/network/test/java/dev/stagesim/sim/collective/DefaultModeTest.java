package dev.stagesim.sim.collective;

import static dev.stagesim.sim.collective.TestSystem.collective;
import static dev.stagesim.sim.collective.TestSystem.compute;
import static dev.stagesim.sim.collective.TestSystem.message;
import static dev.stagesim.sim.collective.TestSystem.trace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.sim.collective.procedure.Procedure;
import dev.stagesim.sim.collective.result.SimulationObserver;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.network.LinkUse;
import dev.stagesim.sim.network.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The default mode avoids reference bugs that cause impossible sizes and times. */
final class DefaultModeTest {
    private static final int[] KINDS = {0, 2, 7, 6};
    private static final Procedure[] FAMILIES = {TestSystem.RING, TestSystem.DIRECT, TestSystem.HALVING_DOUBLING};

    /** Counts the bytes that NPUs send to each other. */
    private static final class Bytes implements SimulationObserver {
        private long sent;

        @Override
        public boolean needsMessages() {
            return true;
        }

        @Override
        public void message(int source, int destination, long bytes, long nowNs) {
            sent += bytes;
        }
    }

    private static TestSystem machine(Random random, int npus) {
        return TestSystem.of(Topology.FULLY_CONNECTED, npus)
                .compat(AstraCompat.NONE)
                .splits(1 + random.nextInt(6))
                .active(1 + random.nextInt(3));
    }

    /** Returns the minimum number of bytes that all NPUs send for a collective. */
    private static long minBytes(int kind, Procedure family, long size, int n) {
        return switch (kind) {
            case 0 -> 2L * (n - 1) * size;
            case 2 -> (long) n * (n - 1) * size;
            case 7 -> (n - 1) * size;
            default -> family == TestSystem.RING ? (long) n * (n - 1) / 2 * size : (n - 1) * size;
        };
    }

    @Test
    void sendsExactSizeWhenDivisionHasRemainder() {
        Random random = new Random(7);
        for (int i = 0; i < 300; i++) {
            int n = 2 << random.nextInt(4);
            Procedure family = FAMILIES[random.nextInt(3)];
            int kind = KINDS[random.nextInt(family == TestSystem.HALVING_DOUBLING ? 3 : 4)];
            long size = 1L + random.nextInt(1 << random.nextInt(20));
            TestSystem machine = machine(random, n).family(family);
            Bytes bytes = new Bytes();
            SimulationResult result = machine.run(Collections.nCopies(n, trace(collective(0, kind, size))), bytes);
            long minBytes = minBytes(kind, family, size, n);
            // A message is rounded up to whole bytes.
            assertThat(bytes.sent)
                    .as("%s of %d bytes, kind %d, %d NPUs", family, size, kind, n)
                    .isBetween(minBytes, minBytes + result.traffic().messages());
        }
    }

    @Test
    void excludesReplayedCommunicationFromComputation() {
        RankTrace both = trace(compute(0, 10), collective(1, 0, 1 << 20));
        TestSystem machine = TestSystem.of(Topology.RING, 2).replayed();
        assertThat(machine.compat(AstraCompat.NONE).run(both).exposedNs()).containsOnly(0);
        assertThat(machine.compat(AstraCompat.ASTRA).run(both).exposedNs()).containsOnly(-1);
    }

    @Test
    void changesTimeLittleWhenSizeGrowsByOneByte() {
        Random random = new Random(11);
        for (int i = 0; i < 200; i++) {
            int n = 2 << random.nextInt(4);
            Procedure family = FAMILIES[random.nextInt(3)];
            TestSystem machine = machine(random, n).family(family);
            long size = 10_000L + random.nextInt(5_000_000);
            int kind = KINDS[random.nextInt(3)];
            long before = machine.run(trace(collective(0, kind, size))).endNs();
            long after = machine.run(trace(collective(0, kind, size + 1))).endNs();
            assertThat((double) after)
                    .as("%s of %d bytes, kind %d, %d NPUs", family, size, kind, n)
                    .isBetween(before * 0.999, before * 1.01);
        }
    }

    @Test
    void keepsSizeOfSmallCollectives() {
        Bytes bytes = new Bytes();
        TestSystem machine =
                TestSystem.of(Topology.SWITCH, 64).compat(AstraCompat.NONE).family(TestSystem.RING);
        machine.run(Collections.nCopies(64, trace(collective(0, 0, 8))), bytes);
        // 4 chunks of 2 bytes. A message has at least one byte.
        assertThat(bytes.sent).isEqualTo(4 * 64 * 126);
        assertThatThrownBy(() -> machine.run(trace(collective(0, 0, 0))))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("at least one byte");
    }

    @Test
    void keepsSharedLinksWithinRate() {
        Random random = new Random(3);
        for (int i = 0; i < 150; i++) {
            TestSystem machine = TestSystem.empty().shared().compat(AstraCompat.NONE);
            int n = 2 << random.nextInt(4);
            Topology topology = n == 2 ? Topology.SWITCH : Topology.values()[random.nextInt(3)];
            machine.dimension(topology, n, 1 + random.nextInt(900), random.nextInt(1000))
                    .family(FAMILIES[random.nextInt(3)])
                    .splits(1 + random.nextInt(5))
                    .active(1 + random.nextInt(5))
                    .localMemory(0);
            SimulationResult result =
                    machine.run(trace(collective(0, KINDS[random.nextInt(3)], 1 + random.nextInt(9_000_000))));
            assertThat(result.stuck()).isEmpty();
            for (LinkUse link : result.traffic().links()) {
                assertThat((double) link.bytes()).isLessThanOrEqualTo(link.bandwidth() * result.endNs() * (1 + 1e-9));
            }
        }
    }

    /** 2(n-1)/n of the size must leave each NPU, and a direct exchange at a switch approaches this bound. */
    @Test
    void limitsDirectExchangeByLinks() {
        SimulationResult result = TestSystem.empty()
                .dimension(Topology.SWITCH, 8, 450 / 1.073741824, 0)
                .shared()
                .compat(AstraCompat.NONE)
                .family(TestSystem.DIRECT)
                .splits(1)
                .localMemory(0)
                .run(trace(collective(0, 0, 1_000_000_000)));
        assertThat((double) result.endNs()).isBetween(3_888_888.0, 3_888_888 * 1.001);
    }

    @Test
    void serialisesReductionsOfNpu() {
        // Seven receipts of 125,000,000 bytes, three accesses each, at 50 GB/s.
        SimulationResult result = TestSystem.empty()
                .dimension(Topology.FULLY_CONNECTED, 8, 1000, 0)
                .compat(AstraCompat.NONE)
                .family(TestSystem.DIRECT)
                .splits(1)
                .run(trace(collective(0, 7, 1_000_000_000)));
        assertThat(result.endNs()).isBetween(52_500_000L, 52_700_000L);
    }

    @Test
    void matchesFullSimulationWhenCustomCollectiveIsFolded() {
        Random random = new Random(5);
        int folded = 0;
        for (int i = 0; i < 300; i++) {
            int n = 2 + random.nextInt(6);
            boolean areEqual = random.nextInt(3) == 0;
            List<RankTrace> positions = new ArrayList<>();
            for (int position = 0; position < n; position++) {
                positions.add(areEqual && position > 0 ? positions.get(0) : part(random, position, n, areEqual));
            }
            TestSystem machine = TestSystem.of(Topology.SWITCH, n)
                    .compat(random.nextBoolean() ? AstraCompat.NONE : AstraCompat.ASTRA)
                    .splits(1)
                    .custom(positions);
            if (random.nextInt(3) == 0) {
                machine.group(1, 1, 0);
            }
            RankTrace trace =
                    trace(collective(0, 0, 4000), collective(1, 7, 8000).withDataDeps(0));
            SimulationResult full = machine.symmetric(false).run(trace);
            SimulationResult other = machine.symmetric(true).run(trace);
            assertThat(other.finishNs()).isEqualTo(full.finishNs());
            assertThat(other.stuck()).isEqualTo(full.stuck());
            folded += other.symmetry().simulatedNpus() < n ? 1 : 0;
        }
        assertThat(folded).isBetween(20, 200);
    }

    /** Returns a computation and, in half of the cases, a message from each position to the next. */
    private static RankTrace part(Random random, int position, int n, boolean areEqual) {
        if (areEqual || random.nextBoolean()) {
            return trace(compute(0, 1 + random.nextInt(9)));
        }
        return trace(
                compute(0, 1 + random.nextInt(9)),
                compute(1, 1 + (position + n) % 3).withDataDeps(0));
    }

    @Test
    void completesCustomCollectiveWhenGroupIsUnsorted() {
        // The first member of the list sends to the second.
        RankTrace sends = trace(message(0, true, 0, 1, 64, 7));
        RankTrace receives = trace(message(0, false, 0, 1, 64, 7));
        RankTrace trace = trace(collective(0, 0, 4000, EtAttribute.ofText("pg_name", "1")));
        RankTrace idle = trace(compute(0, 1));
        TestSystem machine =
                TestSystem.of(Topology.SWITCH, 4).splits(1).group(1, 2, 1).custom(List.of(sends, receives));
        List<RankTrace> traces = List.of(idle, trace, trace, idle);
        assertThat(machine.compat(AstraCompat.NONE).run(traces).stuck()).isEmpty();
        // In the reference, position 0 is rank 1, and sends to the second member, which is also rank 1.
        assertThatThrownBy(() -> machine.compat(AstraCompat.ASTRA).run(traces))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("sends to itself");
    }

    @Test
    void rejectsTreeAtEndOfShortList() {
        TestSystem machine = TestSystem.empty()
                .dimension(Topology.SWITCH, 4, 50, 500)
                .dimension(Topology.SWITCH, 2, 50, 500)
                .family(TestSystem.DOUBLE_BINARY_TREE);
        assertThatThrownBy(() -> machine.run(trace(collective(0, 0, 100_000))))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("ends with a double binary tree");
    }

    @Test
    void keeps64BitSizesOnSharedBus() {
        long[] ends = new long[3];
        for (int i = 0; i < ends.length; i++) {
            ends[i] = TestSystem.of(Topology.SWITCH, 2)
                    .compat(AstraCompat.NONE)
                    .splits(1)
                    .bus(0.01)
                    .run(trace(collective(0, 0, 4L << (30 + i))))
                    .endNs();
        }
        assertThat((double) ends[1] / ends[0]).isBetween(1.99, 2.01);
        assertThat((double) ends[2] / ends[1]).isBetween(1.99, 2.01);
        assertThatThrownBy(() ->
                        TestSystem.of(Topology.SWITCH, 2).splits(1).bus(0.01).run(trace(collective(0, 0, 8L << 30))))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("2^31-1");
    }

    @Test
    void acceptsGroupsWithAnyNumber() {
        long[] expected = null;
        for (int id : new int[] {1, 499, 2147, 2148, 4295, 999_999_999}) {
            RankTrace one = trace(collective(0, 0, 40_000, EtAttribute.ofText("pg_name", Integer.toString(id))));
            RankTrace two =
                    trace(collective(0, 0, 40_000, EtAttribute.ofText("pg_name", Integer.toString(id == 1 ? 501 : 1))));
            TestSystem machine =
                    TestSystem.of(Topology.SWITCH, 4).group(id, 0, 2).group(id == 1 ? 501 : 1, 1, 3);
            for (AstraCompat compat : new AstraCompat[] {AstraCompat.NONE, AstraCompat.ASTRA}) {
                if (compat == AstraCompat.ASTRA && id == 999_999_999) {
                    continue;
                }
                long[] finish =
                        machine.compat(compat).run(List.of(one, two, one, two)).finishNs();
                assertThat(Arrays.stream(finish).allMatch(ns -> ns > 0)).isTrue();
                if (compat == AstraCompat.NONE) {
                    expected = expected == null ? finish : expected;
                    assertThat(finish).containsExactly(expected);
                }
            }
        }
    }

    @Test
    void rejectsImplausibleTimes() {
        assertThatThrownBy(() -> TestSystem.empty()
                        .dimension(Topology.SWITCH, 2, 50, 1e30)
                        .run(trace(collective(0, 0, 4000))))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("146 years");
        assertThatThrownBy(() -> TestSystem.of(Topology.SWITCH, 2).run(trace(compute(0, Long.MAX_VALUE / 2))))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("146 years");
    }
}
