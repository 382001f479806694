package dev.stagesim.io.astra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.CommGroups;
import dev.stagesim.network.MemorySettings;
import dev.stagesim.sim.collective.procedure.Algorithm;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.ChunkOrder;
import dev.stagesim.sim.collective.spec.DimensionOrder;
import dev.stagesim.sim.collective.spec.SystemSpec;
import dev.stagesim.sim.network.NetworkDimension;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import dev.stagesim.sim.network.Topology;
import dev.stagesim.traces.GroupFiles;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class AstraFilesTest {
    private static final String SYSTEM =
            """
            {"scheduling-policy": "FIFO", "endpoint-delay": 20, "preferred-dataset-splits": 4,
             "active-chunks-per-dimension": 2, "collective-optimization": "localBWAware", "local-mem-bw": 50.5,
             "all-reduce-implementation": ["ring", "direct3"], "all-to-all-implementation": ["oneDirect"],
             "boost-mode": 0, "intra-dimension-scheduling": "FIFO", %s}
            """;

    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());

    @AfterEach
    void close() throws IOException {
        files.close();
    }

    @Test
    void roundTripsSystemFile() throws IOException {
        Path file = write("s.json", SYSTEM.formatted("\"model-shared-bus\": 1, \"L\": 5.9, \"G\": 0.01"));
        SystemFile system = SystemFiles.read(file, AstraCompat.NONE).value();
        assertThat(system.implementations().get(CollectiveKind.ALL_REDUCE))
                .containsExactly(Algorithm.RING, Algorithm.parse("direct3").orElseThrow());
        SystemSpec spec = system.spec(new SystemFile.Options(2, 0.52, true), Map.of(), Map.of(), List.of());
        assertThat(spec.endpointDelay()).isEqualTo(10);
        assertThat(spec.localMemoryBandwidth()).isEqualTo(50.5e9);
        assertThat(spec.sharedBus().orElseThrow().latency()).isEqualTo(5);
        assertThat(spec.sharedBus().orElseThrow().gapPerByte()).isEqualTo((double) 0.01f);
        Path again = write("again.json", Json.pretty(SystemFiles.json(system)));
        assertThat(SystemFiles.read(again, AstraCompat.NONE).value()).isEqualTo(system);
    }

    @Test
    void leavesTheDefaultEndpointDelayUnscaled() throws IOException {
        Path file = write("s.json", "{\"preferred-dataset-splits\": 1}");
        SystemFile system = SystemFiles.read(file, AstraCompat.ASTRA).value();
        SystemFile.Options scaled = new SystemFile.Options(1, 3, false);
        assertThat(system.spec(scaled, Map.of(), Map.of(), List.of()).endpointDelay())
                .isEqualTo(10);
    }

    @Test
    void appliesReferenceConversionsOnlyInReferenceMode() throws IOException {
        Path file = write(
                "s.json",
                """
                {"preferred-dataset-splits": 4.7, "roofline-enabled": false, "inter-dimension-scheduling": "themis",
                 "some-key": 1}""");
        Reading<SystemFile> read = SystemFiles.read(file, AstraCompat.ASTRA);
        assertThat(read.value().keys().scheduling().preferredDatasetSplits()).isEqualTo(4);
        assertThat(read.value().keys().compute().rooflineEnabled()).isTrue();
        assertThat(read.warnings())
                .hasSize(4)
                .anyMatch(text -> text.contains("local-mem-bw is missing"))
                .anyMatch(text -> text.contains("roofline-enabled is false"))
                .anyMatch(text -> text.contains("inter-dimension-scheduling has no effect"))
                .anyMatch(text -> text.contains("some-key"));
        assertThat(problems(() -> SystemFiles.read(file, AstraCompat.NONE)))
                .extracting(Problem::where)
                .containsExactlyInAnyOrder("/s.json#/preferred-dataset-splits", "/s.json#/some-key");
    }

    @Test
    void roundTripsOrdersOfDimensionsAndQueues() throws IOException {
        Path file = write(
                "s.json",
                """
                {"preferred-dataset-splits": 4, "inter-dimension-scheduling": "themis",
                 "intra-dimension-scheduling": "smallestFirst"}""");
        SystemFile system = SystemFiles.read(file, AstraCompat.NONE).value();
        assertThat(system.keys().scheduling().interDimensionScheduling()).isEqualTo(DimensionOrder.Kind.THEMIS);
        assertThat(system.keys().scheduling().intraDimensionScheduling()).isEqualTo(ChunkOrder.SMALLEST_FIRST);
        Path again = write("again.json", Json.pretty(SystemFiles.json(system)));
        assertThat(SystemFiles.read(again, AstraCompat.NONE).value()).isEqualTo(system);
        assertThat(SystemFiles.read(file, AstraCompat.ASTRA)
                        .value()
                        .keys()
                        .scheduling()
                        .interDimensionScheduling())
                .isEqualTo(DimensionOrder.Kind.ASCENDING);
    }

    @Test
    void reportsAllProblemsOfSystemFile() throws IOException {
        Path file = write(
                "s.json",
                """
                {"scheduling-policy": "LIF0", "collective-optimization": "fast", "endpoint-delay": -5,
                 "active-chunks-per-dimension": 0, "all-reduce-implementation": ["rings"],
                 "all-gather-implementation": "ring", "local-mem-bw": "x", "peak-perf": 5}""");
        List<Problem> problems = problems(() -> SystemFiles.read(file, AstraCompat.NONE));
        assertThat(problems.stream().map(Problem::render))
                .hasSize(9)
                .anyMatch(text -> text.contains("LIF0") && text.contains("did you mean  LIFO"))
                .anyMatch(text -> text.contains("'rings'") && text.contains("did you mean  ring"))
                .anyMatch(text -> text.contains("preferred-dataset-splits is missing"))
                .anyMatch(text -> text.contains("has no effect without roofline-enabled"));
    }

    @Test
    void parsesEveryAlgorithmName() {
        for (String name : List.of("ring", "direct", "direct7", "halvingDoubling", "doubleBinaryTree", "oneRing")) {
            assertThat(Algorithm.parse(name)).isPresent();
        }
        for (String name : List.of("Ring", "direct0", "direct123456", "directx", "oneDoubleBinaryTree", "")) {
            assertThat(Algorithm.parse(name)).isEmpty();
        }
    }

    @Test
    void readsWindowAsReferenceOnlyInReferenceMode() throws IOException {
        Path file = write(
                "s.json",
                """
                {"preferred-dataset-splits": 1, "all-reduce-implementation":
                 ["direct007", "oneDirect2abc", "direct 3", "direct+4", "direct123456", "direct-1", "direct"]}""");
        assertThat(SystemFiles.read(file, AstraCompat.ASTRA)
                        .value()
                        .keys()
                        .algorithms()
                        .allReduceImplementation())
                .containsExactly("direct7", "oneDirect2", "direct3", "direct4", "direct12345", "direct", "direct");
        assertThat(problems(() -> SystemFiles.read(file, AstraCompat.NONE))).hasSize(6);
        Path none = write("n.json", "{\"preferred-dataset-splits\": 1, \"all-reduce-implementation\": [\"directx\"]}");
        assertThat(problems(() -> SystemFiles.read(none, AstraCompat.ASTRA))).hasSize(1);
    }

    @Test
    void rejectsBooleanFor64BitNumber() throws IOException {
        Path file = write("m.json", "{\"memory-type\": \"MEMORY_POOL\", \"remote-mem-bw\": true}");
        assertThat(problems(() -> MemoryFiles.read(file, AstraCompat.ASTRA))).hasSize(1);
    }

    @Test
    void roundTripsNetworkFile() throws IOException {
        NetworkSpec spec = new NetworkSpec(
                List.of(
                        new NetworkDimension(Topology.RING, 4, 50.5, 500),
                        new NetworkDimension(Topology.SWITCH, 2, 25, 0)),
                Contention.UNAWARE);
        Path file = write("n.yml", NetworkFiles.text(spec));
        assertThat(Files.readString(file)).startsWith("topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\n");
        assertThat(NetworkFiles.read(file, Contention.UNAWARE, AstraCompat.NONE).value())
                .isEqualTo(spec);
    }

    @Test
    void rejectsInvalidNetworks() throws IOException {
        rejected("topology: [ ring ]\nnpus_count: [4]\nbandwidth: [1]\nlatency: [0]\n", "did you mean  Ring");
        rejected("topology: [ Ring ]\nnpus_count: [4, 2]\nbandwidth: [1]\nlatency: [0]\n", "found 2 entries");
        rejected("topology: [ Ring ]\nnpus_count: [1]\nbandwidth: [0]\nlatency: [-1]\n", "found -1");
        rejected("topology: [ Ring ]\nnpus_count: [4]\nbandwidth: [fast]\nlatency: [0]\n", "found the string \"fast\"");
        rejected(
                "topology: [ Ring ]\nnpus_count: [4.0]\nbandwidth: [1]\nlatency: [0]\n",
                "found 4.0, expected a whole number");
        rejected("npus_count: [4]\nbandwidth: [1]\nlatency: [0]\n", "topology is missing");
        rejected("topology: Ring\nnpus_count: 4\nbandwidth: 1\nlatency: 0\n", "expected a list");
        rejected("topology: [ Ring\n", "not valid YAML");
        rejected("topology: [ Ring ]\nnpus_count: [4]\nbandwidth: [1]\nlatency: [0]\nlatncy: [1]\n", "unknown key");
        rejected(
                "topology: [ Ring, Ring ]\nnpus_count: [65536, 65536]\nbandwidth: [1, 1]\nlatency: [0, 0]\n",
                "more than 2^31");
    }

    @Test
    void reportsAllProblemsOfNetworkFile() throws IOException {
        Path file = write("n.yml", "topology: [ ring ]\nnpus_count: [4, 1]\nbandwith: [1]\nlatency: [-1]\n");
        assertThat(problems(() -> NetworkFiles.read(file, Contention.UNAWARE, AstraCompat.NONE)))
                .extracting(Problem::where)
                .containsExactlyInAnyOrder(
                        "/n.yml#/topology/0",
                        "/n.yml#/npus_count/1",
                        "/n.yml#/npus_count",
                        "/n.yml",
                        "/n.yml#/bandwith",
                        "/n.yml#/latency/0");
    }

    private void rejected(String text, String why) throws IOException {
        Path file = write("n.yml", text);
        assertThat(problems(() -> NetworkFiles.read(file, Contention.UNAWARE, AstraCompat.NONE)).stream()
                        .map(Problem::render))
                .anyMatch(rendered -> rendered.contains(why));
    }

    @Test
    void readsMemoryFiles() throws IOException {
        Path file = write(
                "m.json",
                """
                {"memory-type": "PER_NODE_MEMORY_EXPANSION", "num-nodes": 2, "num-npus-per-node": 4,
                 "remote-mem-latency": 10.9, "remote-mem-bw": 7.9}""");
        MemorySettings memory = MemoryFiles.read(file, AstraCompat.ASTRA).value();
        assertThat(memory).isEqualTo(new MemorySettings.PerNode(10, 7, 2, 4));
        Path again = write("again.json", Json.pretty(MemoryFiles.json(memory)));
        assertThat(MemoryFiles.read(again, AstraCompat.NONE).value()).isEqualTo(memory);
        assertThat(problems(() -> MemoryFiles.read(file, AstraCompat.NONE))).hasSize(2);
        Path pool = write("p.json", "{\"memory-type\": \"BIG_POOL\", \"num-nodes\": 3}");
        assertThat(problems(() -> MemoryFiles.read(pool, AstraCompat.NONE))
                        .get(0)
                        .render())
                .contains("BIG_POOL")
                .contains("MEMORY_POOL");
    }

    @Test
    void readsGroupsInTheOrderOfTheirRings() throws IOException {
        CommGroups groups = GroupFiles.read(write("g.json", "{\"2\": [3, 1], \"01\": [0, 2]}"), 4);
        assertThat(groups.groups()).isEqualTo(Map.of(1, List.of(0, 2), 2, List.of(3, 1)));
        assertThat(GroupFiles.json(groups).members().keySet()).containsExactly("1", "2");
        Path bad = write("b.json", "{\"0\": [1], \"x\": [1], \"3\": [1, 1, 4, \"a\"], \"4\": 7}");
        assertThat(problems(() -> GroupFiles.read(bad, 4))).hasSize(6);
    }

    @Test
    void reportsMissingFile() {
        assertThatThrownBy(() -> MemoryFiles.read(files.getPath("/none.json"), AstraCompat.ASTRA))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("does not exist");
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(files.getPath("/" + name), text);
    }

    private static List<Problem> problems(ThrowingCallable read) {
        StageException thrown = catchThrowableOfType(StageException.class, read);
        assertThat(thrown).isNotNull();
        return thrown.problems();
    }
}
