package dev.stagesim.feature.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.PoolPlans;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Share;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Transfer;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.report.LatencyBreakdown.Part;
import dev.stagesim.feature.cluster.router.RoundRobin;
import dev.stagesim.feature.cluster.transfer.KvNetwork.Leaves;
import dev.stagesim.feature.cluster.transfer.KvNetwork.Placement;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.network.PacketSettings;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.network.packet.congestion.CongestionSpec;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class NetworkTransfersTest {
    private static final long PIECE = 1 << 17;
    private static final int SIZE = 60;

    /**
     * Maximum difference to fair sharing: at its start and at its end, a transfer may wait for two pieces of every
     * other transfer.
     */
    private static final double GRAIN_S = 2 * 2.0 * SIZE * PIECE / 2e9;

    /** Random transfers with start times, senders and receivers. */
    private record Load(double[] starts, int[] from, int[] to, double[] bytes) {
        static Load drawn(long seed, int senders, int receivers) {
            RandomStream random = RandomStream.of(seed, "network transfers");
            Load load = new Load(new double[SIZE], new int[SIZE], new int[SIZE], new double[SIZE]);
            for (int i = 0; i < SIZE; i++) {
                load.starts[i] =
                        (i == 0 ? 0 : load.starts[i - 1]) + (random.below(3) == 0 ? 0 : random.nextDouble() * 0.1);
                load.from[i] = (int) random.below(senders);
                load.to[i] = senders + (int) random.below(receivers);
                load.bytes[i] = 1 + random.below(500_000_000);
            }
            return load;
        }

        double[] ends(KvTransport carrier) {
            double[] ends = new double[starts.length];
            int next = 0;
            int ticks = 1;
            while (next < starts.length || carrier.active() > 0) {
                double start = next < starts.length ? starts[next] : Double.POSITIVE_INFINITY;
                // An unrelated event happens every 7 ms.
                double other = 0.007 * ticks;
                double end = carrier.nextSeconds(Math.min(start, other));
                double now = Math.min(end, Math.min(start, other));
                ticks += now == other ? 1 : 0;
                if (now == start) {
                    carrier.start(next, from[next], to[next], bytes[next], start);
                    next++;
                } else if (now == end) {
                    ends[carrier.end()] = end;
                }
            }
            return ends;
        }

        /** Returns the end times if all transfers share one link equally. */
        double[] shared(double bytesPerS) {
            double[] left = bytes.clone();
            double[] ends = new double[starts.length];
            double now = 0;
            for (int done = 0; done < starts.length; ) {
                double at = now;
                int[] open = IntStream.range(0, starts.length)
                        .filter(i -> starts[i] <= at && ends[i] == 0)
                        .toArray();
                double rate = bytesPerS / Math.max(1, open.length);
                double next =
                        Arrays.stream(starts).filter(start -> start > at).min().orElse(Double.POSITIVE_INFINITY);
                double min = Arrays.stream(open).mapToDouble(i -> left[i]).min().orElse(Double.POSITIVE_INFINITY);
                double span = Math.min(next - now, min / rate);
                now += span;
                for (int i : open) {
                    left[i] -= rate * span;
                    if (left[i] < 1e-3) {
                        ends[i] = now;
                        done++;
                    }
                }
            }
            return ends;
        }
    }

    private static Leaves leaves(int instances, double oversubscription, Placement placement) {
        return new Leaves(instances, oversubscription, 0, placement);
    }

    private static NetworkTransfers network(double[] links, Leaves leaves, int[] pool) {
        KvNetwork network = new KvNetwork.Analytical(leaves, PIECE);
        return new NetworkTransfers(network.make(links, leaves.positions(pool)), PIECE, 2, SIZE);
    }

    private static double[] links(int count, double rate) {
        double[] links = new double[count];
        Arrays.fill(links, rate);
        return links;
    }

    private static void assertClose(double[] ends, double[] wanted, double seconds) {
        for (int i = 0; i < ends.length; i++) {
            assertThat(ends[i]).as("end of %d", i).isCloseTo(wanted[i], within(seconds));
        }
    }

    /**
     * Two leaves of four instances by pool. All transfers cross the uplink, which has a quarter of the bandwidth of its
     * instances.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void sharesTheUplinkEqually(long seed) {
        Load load = Load.drawn(seed, 4, 4);
        int[] pool = {0, 0, 0, 0, 1, 1, 1, 1};
        double[] ends = load.ends(network(links(8, 2e9), leaves(4, 4, Placement.BY_POOL), pool));
        assertClose(ends, load.shared(2e9), GRAIN_S);
    }

    /** One sender uses one cable, so the result equals a shared link. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void matchesASharedLinkWithOneCable(long seed) {
        Load load = Load.drawn(seed, 1, 4);
        double[] rates = links(5, 2e9);
        double[] fair = load.ends(new Transfers(true, rates, SIZE));
        double[] ends = load.ends(network(rates, leaves(8, 1, Placement.BY_POOL), new int[] {0, 1, 1, 1, 1}));
        assertClose(ends, fair, GRAIN_S);
        assertThat(Arrays.stream(ends).max().orElseThrow())
                .as("equal total time")
                .isCloseTo(Arrays.stream(fair).max().orElseThrow(), within(1e-3));
    }

    @Test
    void limitsASingleTransferByItsSlowestLink() {
        double[] rates = {4e9, 1e9, 4e9};
        Load one = new Load(new double[] {0.5}, new int[] {0}, new int[] {1}, new double[] {1e9});
        double[] ends = one.ends(network(rates, leaves(8, 1, Placement.BY_POOL), new int[] {0, 1, 1}));
        assertThat(ends[0]).isCloseTo(1.5, within(1e-5));
    }

    @Test
    void releasesTheLinkWhenATransferStops() {
        KvTransport network = network(links(3, 1e9), leaves(8, 1, Placement.BY_POOL), new int[] {0, 1, 1});
        network.start(0, 0, 1, 1e9, 0);
        network.start(1, 0, 2, 1e9, 0);
        assertThat(network.nextSeconds(0.5)).isInfinite();
        network.stop(0, 0.5);
        assertThat(network.isActive(0)).isFalse();
        network.start(0, 0, 1, 1e6, 3);
        assertThat(network.nextSeconds(4)).isCloseTo(1.25, within(5e-3));
        assertThat(network.end()).isEqualTo(1);
    }

    /** Placement by pool sends all transfers over the spine. Mixed placement keeps most of them within a leaf. */
    @Test
    void crossesTheSpineDependingOnPlacement() {
        int[] pool = {0, 0, 0, 0, 1, 1, 1, 1};
        assertThat(leaves(4, 1, Placement.BY_POOL).positions(pool)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(leaves(4, 1, Placement.MIXED).positions(pool)).containsExactly(0, 2, 4, 6, 1, 3, 5, 7);
        Load load = new Load(new double[2], new int[] {0, 1}, new int[] {4, 5}, new double[] {1e9, 1e9});
        double[] separate = load.ends(network(links(8, 1e9), leaves(4, 8, Placement.BY_POOL), pool));
        double[] together = load.ends(network(links(8, 1e9), leaves(4, 8, Placement.MIXED), pool));
        assertThat(separate).containsExactly(new double[] {4, 4}, within(0.01));
        assertThat(together).containsExactly(new double[] {1, 1}, within(0.01));
    }

    private static Transfer transfer(Optional<KvNetwork> network) {
        return new Transfer(Optional.of(12.5), 50, Share.FAIR, network);
    }

    private static ClusterFigures run(Optional<KvNetwork> network) {
        ServingClusterSettings cluster = Clusters.cluster(
                Map.of("p", Clusters.pool(PoolRole.PREFILL, 1), "d", Clusters.pool(PoolRole.DECODE, 2)),
                new RoundRobin.Settings(),
                Optional.empty(),
                transfer(network));
        return Clusters.run(cluster, Clusters.requests(12, 4, 1, 9));
    }

    @Test
    void rejectsASharePolicyWithANetwork() {
        KvNetwork network = new KvNetwork.Analytical(leaves(8, 1, Placement.BY_POOL), PIECE);
        Transfer line = new Transfer(Optional.of(12.5), 50, Share.EXCLUSIVE, Optional.of(network));
        ServingClusterSettings cluster = Clusters.cluster(
                Map.of("p", Clusters.pool(PoolRole.PREFILL, 1), "d", Clusters.pool(PoolRole.DECODE, 1)),
                new RoundRobin.Settings(),
                Optional.empty(),
                line);
        assertThat(PoolPlans.problems(Clusters.settings(cluster)))
                .singleElement()
                .satisfies(problem -> assertThat(problem.where()).isEqualTo("cluster.transfer.share"));
    }

    @Test
    void rejectsUplinkKeysWithOneLeaf() {
        Leaves alone = leaves(2, 4, Placement.MIXED);
        assertThat(misfits(alone, 1, 1))
                .containsExactly(
                        "cluster.transfer.network.leaves.oversubscription",
                        "cluster.transfer.network.leaves.placement");
        assertThat(misfits(alone, 1, 2)).isEmpty();
        assertThat(misfits(leaves(2, 1, Placement.BY_POOL), 1, 1)).isEmpty();
    }

    private static List<String> misfits(Leaves leaves, int prefill, int decode) {
        KvNetwork network = new KvNetwork.Analytical(leaves, PIECE);
        ServingClusterSettings cluster = Clusters.cluster(
                Map.of("p", Clusters.pool(PoolRole.PREFILL, prefill), "d", Clusters.pool(PoolRole.DECODE, decode)),
                new RoundRobin.Settings(),
                Optional.empty(),
                new Transfer(Optional.of(12.5), 50, Share.FAIR, Optional.of(network)));
        return PoolPlans.problems(Clusters.settings(cluster)).stream()
                .map(Problem::where)
                .toList();
    }

    /** The packet kernel takes longer than the analytical one only by headers and acknowledgements. */
    @ParameterizedTest
    @CsvSource({"1, 1", "8, 4"})
    void agreesBetweenAnalyticalAndPacketKernels(int instances, double oversubscription) {
        Leaves leaves = new Leaves(instances, oversubscription, 500, Placement.BY_POOL);
        PacketSettings.Switches switches =
                new PacketSettings.Switches(32, 3, true, true, List.of(25.0), List.of(100.0), List.of(400.0), 0.2);
        ClusterFigures analytical = run(Optional.of(new KvNetwork.Analytical(leaves, PIECE)));
        ClusterFigures packets = run(Optional.of(new KvNetwork.Packets(
                leaves, KeyRecord.defaults(TransportSpec.class), new CongestionSpec.None(), switches)));
        for (int i = 0; i < 12; i++) {
            assertThat((double) packets.parts.get(i).get(Part.TRANSFER))
                    .isBetween(
                            (double) analytical.parts.get(i).get(Part.TRANSFER),
                            1.2 * analytical.parts.get(i).get(Part.TRANSFER) + 1e6);
        }
    }
}
