package dev.stagesim.stage.astrasim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.network.NetworkSettings.Backend;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.network.Fabric;
import dev.stagesim.sim.network.Fabrics;
import dev.stagesim.sim.network.LinkGraph;
import dev.stagesim.sim.network.NetworkDimension;
import dev.stagesim.sim.network.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LinkLoadTest {
    /** GB/s of 2^30 bytes that equal one byte per ns. */
    private static final double BYTE_PER_NS = 1e9 / (1L << 30);

    /** Compares the warning with the load of each link when messages are counted link by link. */
    @Test
    void warnsWhenParallelLinkIsOverloaded() {
        Random random = new Random(1);
        int warned = 0;
        for (int i = 0; i < 400; i++) {
            List<NetworkDimension> dimensions = new ArrayList<>();
            int npus = 1;
            for (int d = 1 + random.nextInt(3); d > 0; d--) {
                Topology topology = Topology.values()[random.nextInt(Topology.values().length)];
                dimensions.add(new NetworkDimension(
                        topology, 2 + random.nextInt(4), BYTE_PER_NS * (1 + random.nextInt(4)), 0));
                npus *= dimensions.get(dimensions.size() - 1).npus();
            }
            LinkLoad load = new LinkLoad(dimensions);
            Fabric fabric = Fabrics.product(dimensions);
            LinkGraph graph = fabric.graph();
            long[] bytes = new long[graph.links()];
            for (int message = random.nextInt(200); message >= 0; message--) {
                int from = random.nextInt(npus);
                int to = random.nextInt(npus);
                int size = 1 + random.nextInt(1000);
                load.add(from, to, 1, size);
                for (int at = from; at != to; ) {
                    int link = fabric.router().next(at, from, to);
                    bytes[link] += size;
                    at = graph.to(link);
                }
            }
            double longest = 0;
            for (int link = 0; link < bytes.length; link++) {
                longest = Math.max(longest, bytes[link] / graph.bytesPerNs(link));
            }
            assertThat(load.excess((long) Math.ceil(longest)))
                    .as("%s", dimensions)
                    .isEmpty();
            long tooShort = (long) (longest * 0.9) - 2;
            if (tooShort > 0) {
                warned++;
                assertThat(load.excess(tooShort)).as("%s", dimensions).isPresent();
            }
            load.clear();
            assertThat(load.excess(0)).isEmpty();
        }
        assertThat(warned).isGreaterThan(200);
    }

    @Test
    void computesRatesAsNcclTests() {
        CollectiveRates rates = new CollectiveRates();
        assertThat(rates.isEmpty()).isTrue();
        rates.add(CollectiveKind.ALL_REDUCE, 8, 1000, 10, 3);
        assertThat(rates.algorithmBandwidth()).isEqualTo(100);
        assertThat(rates.busBandwidth()).isEqualTo(175);
        rates.clear();
        rates.add(CollectiveKind.ALL_GATHER, 4, 250, 10, 1);
        assertThat(rates.algorithmBandwidth()).isEqualTo(100);
        assertThat(rates.busBandwidth()).isEqualTo(75);
        assertThat(rates.table().size()).isEqualTo(1);
    }

    /** Three pairs of NPUs in separate groups. The last pair reduces more bytes. */
    @Test
    void weighsRepresentativesByMultiplicity() throws IOException {
        List<List<Object>> found = new ArrayList<>();
        for (boolean symmetry : new boolean[] {true, false}) {
            TestRun run = new TestRun();
            run.symmetry = symmetry;
            run.network = TestRun.dims(Backend.CONGESTION_UNAWARE, Topology.SWITCH, 6);
            run.groups = Optional.of(Files.writeString(
                    run.files.getPath("/groups.json"), "{\"1\": [0, 1], \"2\": [2, 3], \"3\": [4, 5]}"));
            for (int rank = 0; rank < 6; rank++) {
                EtNode plain = TestRun.allReduce(2, rank < 4 ? 1 << 20 : 1 << 24);
                List<EtAttribute> attributes = new ArrayList<>(plain.attributes());
                attributes.add(EtAttribute.ofText(EtNames.PG_NAME, Integer.toString(1 + rank / 2)));
                run.trace(rank, plain.withAttributes(attributes));
            }
            run.run();
            String summary = Files.readString(run.out.resolve("summary.md"));
            assertThat(summary).contains("| NPUs simulated one by one | " + (symmetry ? "2 |" : "6 |"));
            found.add(List.of(
                    run.context.headlines,
                    summary.lines()
                            .filter(line -> line.startsWith("| all-reduce | 2 |"))
                            .toList()));
        }
        assertThat(found.get(0)).isEqualTo(found.get(1));
        assertThat(found.get(0).get(1).toString()).contains("| 6,291,456 |");
    }
}
