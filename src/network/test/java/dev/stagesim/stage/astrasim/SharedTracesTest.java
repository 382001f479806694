package dev.stagesim.stage.astrasim;

import static dev.stagesim.stage.astrasim.TestRun.allReduce;
import static dev.stagesim.stage.astrasim.TestRun.compute;
import static dev.stagesim.stage.astrasim.TestRun.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.io.astra.RankFiles;
import dev.stagesim.io.chakra.TraceSet;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.network.FabricSettings;
import dev.stagesim.network.FabricSettings.Gigabyte;
import dev.stagesim.network.NetworkSettings.Backend;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.network.Topology;
import dev.stagesim.traces.TraceFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares runs with shared trace files with runs with one file per NPU. */
final class SharedTracesTest {
    private static final long MIB = 1 << 20;

    private static TestRun torus(int side, boolean isShared, IntFunction<List<EtNode>> nodes) throws IOException {
        TestRun one = new TestRun();
        one.system = TestRun.keys("ring", "ring", "ring");
        one.network = TestRun.network(
                Backend.CONGESTION_AWARE,
                new FabricSettings.Dims(
                        Collections.nCopies(3, Topology.RING),
                        List.of(4, 4, side),
                        Collections.nCopies(3, 50.0),
                        Collections.nCopies(3, 500.0),
                        Gigabyte.BINARY));
        new TraceFolder(one.prefix.getParent(), "t", isShared).each(16 * side, EtMetadata.EMPTY, nodes);
        return one;
    }

    private static Map<String, String> outputs(TestRun one) throws IOException {
        one.run();
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> all = Files.walk(one.out)) {
            for (Path file : (Iterable<Path>) all.filter(Files::isRegularFile)::iterator) {
                texts.put(file.toString(), Files.readString(file));
            }
        }
        return texts;
    }

    private static long files(TestRun one) throws IOException {
        try (Stream<Path> all = Files.list(one.prefix.getParent())) {
            return all.count();
        }
    }

    private static void assertSameOutputs(int side, IntFunction<List<EtNode>> nodes, int different) throws IOException {
        for (boolean symmetry : new boolean[] {true, false}) {
            TestRun each = torus(side, false, nodes);
            TestRun shared = torus(side, true, nodes);
            each.symmetry = symmetry;
            shared.symmetry = symmetry;
            assertThat(outputs(shared)).hasSizeGreaterThan(10).isEqualTo(outputs(each));
            assertThat(files(each)).isEqualTo(16L * side);
            assertThat(files(shared)).isEqualTo(different + 1L);
            assertThat(each.context.progress).contains("traces read " + 16 * side + "/" + 16 * side);
            assertThat(shared.context.progress)
                    .contains("traces read " + different + "/" + different)
                    .noneMatch(step -> step.startsWith("traces read") && !step.endsWith("/" + different));
        }
    }

    @Test
    void matchesSeparateFilesWhenTraceIsShared() throws IOException {
        assertSameOutputs(4, npu -> List.of(compute(1, 3), allReduce(2, MIB, 1)), 1);
        assertSameOutputs(64, npu -> List.of(allReduce(2, MIB)), 1);
    }

    @Test
    void matchesSeparateFilesWhenSeveralTracesAreShared() throws IOException {
        assertSameOutputs(4, npu -> List.of(allReduce(2, MIB), compute(3, 3 + npu % 3, 2)), 3);
        assertSameOutputs(
                4,
                npu -> List.of(
                        compute(1, npu < 20 ? 9 : 2),
                        npu % 2 == 0
                                ? message(7, NodeType.COMM_SEND_NODE, npu, npu + 1, 64)
                                : message(7, NodeType.COMM_RECV_NODE, npu - 1, npu, 64)),
                64);
    }

    @Test
    void findsTraceOfRankInEveryReader() throws IOException {
        TestRun shared = torus(4, true, npu -> List.of(compute(1, npu < 20 ? 3 : 5)));
        Path folder = shared.prefix.getParent();
        assertThat(Files.readString(folder.resolve("trace_ranks.csv")))
                .isEqualTo("first_rank,last_rank,file\n0,19,t.0.et\n20,63,t.20.et\n");
        for (Path word : List.of(folder, shared.prefix)) {
            assertThat(TraceSet.find(List.of(word)))
                    .hasSize(64)
                    .containsEntry(19, folder.resolve("t.0.et"))
                    .containsEntry(63, folder.resolve("t.20.et"));
        }
        assertThat(RankFiles.of(shared.prefix).inputs(8))
                .containsExactly(folder.resolve("trace_ranks.csv"), folder.resolve("t.0.et"));
        assertThat(new AstraSimStage().reads(shared.settings(), shared.files.getPath("/home")))
                .hasSize(3);
    }

    @Test
    void reportsProblemsOfRankTable() throws IOException {
        TestRun shared = torus(4, true, npu -> List.of(compute(1, npu < 20 ? 3 : 5)));
        Path table = shared.prefix.resolveSibling("trace_ranks.csv");
        String head = "first_rank,last_rank,file\n";
        Map<String, String> wrong = Map.of(
                "0,19,t.0.et\n21,63,t.20.et\n", "trace_ranks.csv:3: rank 20 is in no row",
                "0,19,t.0.et\n19,63,t.20.et\n", "trace_ranks.csv:3: rank 19 is in two rows",
                "0,19,t.0.et\n20,62,t.20.et\n", "there are traces for 63 NPUs, but the network has 64",
                "0,19,t.0.et\n20,64,t.20.et\n", "there are traces for 65 NPUs, but the network has 64",
                "0,19,t.0.et\n20,63,t.21.et\n", "t.21.et: the trace does not exist",
                "0,19,t.0.et\n20,63,../t.20.et\n", "'../t.20.et' is not the name of a trace of this set",
                "0,19,t.0.et\n20,63,u.20.et\n", "t.<rank>.et",
                "0,99999999,t.0.et\n", "ranks below 16777216",
                "", "the table lists no traces");
        for (Map.Entry<String, String> each : wrong.entrySet()) {
            Files.writeString(table, head + each.getKey());
            assertThatThrownBy(shared::run).as(each.getKey()).hasMessageContaining(each.getValue());
        }
        Files.writeString(table, head + "0,19,t.0.et\n20,63,t.20.et\n");
        shared.run();
    }

    @Test
    void rejectsTooFewTraces() throws IOException {
        for (AstraCompat compat : List.of(AstraCompat.NONE, AstraCompat.ASTRA)) {
            TestRun shared = new TestRun();
            shared.compat = compat;
            new TraceFolder(shared.prefix.getParent(), "t", true)
                    .each(3, EtMetadata.EMPTY, npu -> List.of(compute(1, 3)));
            assertThatThrownBy(shared::run)
                    .hasMessageContaining("there are traces for 3 NPUs, but the network has 4")
                    .hasMessageContaining("give the network as many NPUs as there are traces, or make traces for all")
                    .hasMessageNotContaining("pass over");
            assertThat(shared.context.warnings).noneMatch(warning -> warning.contains("passed over"));
        }
    }

    @Test
    void appliesTableOnlyToItsTraceSet() throws IOException {
        TestRun other = torus(4, false, npu -> List.of(compute(1, 2 + npu)));
        Map<String, String> alone = outputs(other);
        TestRun both = torus(4, false, npu -> List.of(compute(1, 2 + npu)));
        new TraceFolder(both.prefix.getParent(), "a", true)
                .each(64, EtMetadata.EMPTY, npu -> List.of(compute(1, npu < 20 ? 3 : 5)));
        assertThat(outputs(both)).isEqualTo(alone);
        assertThat(RankFiles.of(both.prefix).inputs(64))
                .hasSize(64)
                .contains(both.prefix.resolveSibling("t.63.et"))
                .doesNotContain(both.prefix.resolveSibling("trace_ranks.csv"));
        assertThat(TraceSet.find(List.of(both.prefix)))
                .hasSize(64)
                .containsEntry(1, both.prefix.resolveSibling("t.1.et"));
        assertThat(TraceSet.find(List.of(both.prefix.resolveSibling("a"))))
                .containsEntry(1, both.prefix.resolveSibling("a.0.et"));
        Files.writeString(
                both.prefix.resolveSibling("trace_ranks.csv"),
                "first_rank,last_rank,file\n0,19,a.0.et\n20,63,t.20.et\n");
        assertThatThrownBy(both::run).hasMessageContaining("'a.0.et' is not the name of a trace of this set");
    }

    @Test
    void estimatesMemoryFromSimulatedMessages() {
        assertThat(AstraSimStage.bytesPerNpu(0, 0)).isEqualTo(3072);
        assertThat(AstraSimStage.bytesPerNpu(1000, 1000)).isEqualTo(3072);
        assertThat(AstraSimStage.bytesPerNpu(999, 1000)).isBetween(3069.0, 3071.0);
        assertThat(AstraSimStage.bytesPerNpu(500, 1000)).isEqualTo(2048);
        assertThat(AstraSimStage.bytesPerNpu(1, 1e9)).isBetween(1024.0, 1025.0);
    }
}
