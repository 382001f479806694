package dev.stagesim.io.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stagesim.model.StageException;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.sim.network.packet.topology.PacketTopology.Cable;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TopologyFilesTest {
    private static final String STAR = "3 1 2\n2\n2 0 100Gbps 0.001ms 0\n2 1 37.5Gbps 250ns 0.25\n";

    private static List<String> problems(String text) {
        return catchThrowableOfType(StageException.class, () -> TopologyFiles.parse(text, "t")).problems().stream()
                .map(problem -> problem.where() + ": " + problem.what())
                .toList();
    }

    @Test
    void readsHostsSwitchesAndLinks() {
        PacketTopology topology = TopologyFiles.parse(STAR, "t");
        assertThat(topology.hosts()).isEqualTo(2);
        assertThat(topology.switches()).containsExactly(2);
        assertThat(topology.cables())
                .containsExactly(
                        new Cable(2, 0, 100_000_000_000L, 1000, 0), new Cable(2, 1, 37_500_000_000L, 250, 0.25));
    }

    @Test
    void readsBackWrittenTopology() {
        PacketTopology topology = TopologyFiles.parse(STAR, "t");
        assertThat(TopologyFiles.parse(TopologyFiles.text(topology), "u")).isEqualTo(topology);
    }

    @Test
    void reportsLinesOfProblems() {
        assertThat(problems("3 1 2\n2\n2 0 fast 1us 0\n2 7 1Gbps soon 2\n"))
                .containsExactly(
                        "t:3: found 'fast', expected a rate such as 100Gbps",
                        "t:4: found '7', expected the number of a node, 0 to 2",
                        "t:4: found 'soon', expected a delay such as 0.001ms",
                        "t:4: found '2', expected an error rate from 0 to 1");
        assertThat(problems("3 1 2\n2\n2 0 1Gbps 1us 0\n")).containsExactly("t:3: the file ends before link 2 of 2");
        assertThat(problems(STAR + "1 0")).singleElement().asString().contains("more text after the 2 links");
    }

    @Test
    void readsUnitsOfRatesAndDelays() {
        assertThat(Quantities.rate("1MB/s")).hasValue(8_000_000);
        assertThat(Quantities.rate("2Gib/s")).hasValue(2L << 30);
        assertThat(Quantities.rate("10Mbps")).hasValue(10_000_000);
        assertThat(Quantities.rate("10parsecs")).isEmpty();
        assertThat(Quantities.duration("0.5")).hasValue(500_000_000);
        assertThat(Quantities.duration("1.6us")).hasValue(1600);
        assertThat(Quantities.duration("-1us")).isEmpty();
    }
}
