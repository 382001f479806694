package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.io.chakra.EtWriter;
import dev.stagesim.io.chakra.LegacyWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.EtNodes;
import dev.stagesim.model.trace.LegacyField;
import dev.stagesim.model.trace.LegacyNode;
import dev.stagesim.model.trace.LegacyNodeType;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.traces.TraceFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InspectCommandsTest {
    private static final Path CASES = Path.of(System.getProperty("stagesim.home", "."), "tests-data", "chakra");
    private static final String RECORDED =
            CASES.resolve("pytorch/send_recv/out/trace.0.et").toString();

    @TempDir
    Path scratch;

    private static CliTester inspect(String... words) {
        String[] all = new String[words.length + 1];
        all[0] = "inspect";
        System.arraycopy(words, 0, all, 1, words.length);
        return CliTester.run(all);
    }

    private String trace(String name, EtNode... nodes) throws IOException {
        Path file = scratch.resolve(name);
        try (EtWriter writer = EtWriter.create(file, EtMetadata.EMPTY)) {
            for (EtNode node : nodes) {
                writer.write(node);
            }
        }
        return file.toString();
    }

    @Test
    void printsAFileAsJsonLines() {
        CliTester run = inspect(RECORDED);
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.lines()).hasSize(12).allSatisfy(line -> Json.parse(line, "line"));
        assertThat(run.lines().get(0)).startsWith("{\"metadata\":");
        assertThat(inspect("show", RECORDED, "--limit", "2").lines())
                .isEqualTo(run.lines().subList(0, 3));
        assertThat(inspect("show", RECORDED, "--protobuf").out())
                .startsWith("{\n  \"attr\"")
                .contains("}{");
    }

    @Test
    void readsCompressedTraces() throws IOException {
        Path packed = scratch.resolve("t.0.et.gz");
        try (EtWriter writer = EtWriter.create(packed, EtMetadata.EMPTY)) {
            writer.write(EtNode.of(1, "a", NodeType.COMP_NODE));
        }
        assertThat(inspect("diff", packed.toString(), trace("t.0.et", EtNode.of(1, "a", NodeType.COMP_NODE)))
                        .exit())
                .isZero();
    }

    @Test
    void printsTheFirstSchemaInTheSameForm() throws IOException {
        Path file = scratch.resolve("old.0.eg");
        try (LegacyWriter writer = new LegacyWriter(Files.newOutputStream(file))) {
            writer.write(LegacyNode.of(1, "work", LegacyNodeType.COMP_NODE).with(LegacyField.SIMULATED_RUN_TIME, 5));
            writer.write(LegacyNode.of(2, "all", LegacyNodeType.COMM_COLL_NODE)
                    .with(LegacyField.COMM_TYPE, 3)
                    .with(LegacyField.COMM_SIZE, 64)
                    .withParents(1)
                    .withInvolvedDims(true, false));
        }
        assertThat(inspect(file.toString()).lines())
                .containsExactly(
                        "{\"id\":1,\"name\":\"work\",\"type\":\"COMP_NODE\",\"duration_micros\":5}",
                        "{\"id\":2,\"name\":\"all\",\"type\":\"COMM_COLL_NODE\",\"data_deps\":[1],\"attr\":["
                                + "{\"name\":\"comm_type\",\"int64_val\":2},{\"name\":\"comm_size\",\"int64_val\":64},"
                                + "{\"name\":\"involved_dim\",\"bool_list\":[true,false]}]}");
        assertThat(inspect("check", file.toString()).exit()).isZero();
        assertThat(inspect("stats", file.toString()).out())
                .contains("ALL_GATHER")
                .contains("critical path  5 us");
        assertThat(inspect("show", file.toString(), "--protobuf").err()).contains("does not support traces");
    }

    @Test
    void printsStatisticsOfASharedTraceOnceWithItsRanks() throws IOException {
        new TraceFolder(scratch, "t", true)
                .each(6, EtMetadata.EMPTY, npu -> List.of(EtNode.of(npu % 4 == 2 ? 1 : 2, "a", NodeType.COMP_NODE)));
        new TraceFolder(scratch, "u").each(2, EtMetadata.EMPTY, npu -> List.of(EtNode.of(1, "a", NodeType.COMP_NODE)));
        String prefix = scratch.resolve("t").toString();
        assertThat(inspect("stats", prefix).lines())
                .filteredOn(line -> line.contains(" nodes, "))
                .containsExactly(
                        prefix + ".0.et  ranks 0-1, 3-5  1 nodes, 0 of them on the host",
                        prefix + ".2.et  1 nodes, 0 of them on the host");
        assertThat(inspect("stats", prefix, "--json").lines()).hasSize(2).satisfiesOnlyOnce(line -> assertThat(line)
                .contains("\"ranks\":\"0-1, 3-5\""));
        assertThat(inspect("stats", scratch.resolve("u").toString(), "--json").lines())
                .hasSize(2)
                .noneMatch(line -> line.contains("ranks"));
    }

    @Test
    void printsStatisticsAsTextAndJson() {
        assertThat(inspect("stats", RECORDED).out())
                .contains("COMM_SEND_NODE  2")
                .contains("critical path  210 us");
        String line = inspect("stats", RECORDED, "--json").lines().get(0);
        assertThat(Json.parse(line, "stats")
                        .get("critical_path")
                        .get("duration_us")
                        .asLong())
                .isEqualTo(210);
    }

    @Test
    void exitsWithThreeWhenThereAreFindings() throws IOException {
        CliTester run = inspect("check", RECORDED);
        assertThat(run.exit()).isEqualTo(ExitCode.CHECK);
        assertThat(run.out()).contains("node 0 (control), which is not there").contains("lacks comm_dst, comm_tag");
        String sound = trace("sound.0.et", EtNode.of(1, "a", NodeType.COMP_NODE));
        assertThat(inspect("check", sound).exit()).isZero();
        assertThat(inspect("check", sound, "--json").out()).contains("\"findings\":[]");
    }

    @Test
    void checksASetOfTracesAsAWhole() throws IOException {
        EtAttribute[] facts = {
            EtAttribute.ofLong("comm_size", 8), EtAttribute.ofInt("comm_dst", 1), EtAttribute.ofInt("comm_tag", 0)
        };
        trace("t.0.et", EtNode.of(1, "s", NodeType.COMM_SEND_NODE, facts));
        trace("t.1.et", EtNode.of(1, "a", NodeType.COMP_NODE));
        CliTester run = inspect("check", scratch.resolve("t").toString());
        assertThat(run.exit()).isEqualTo(ExitCode.CHECK);
        assertThat(run.out()).isEqualTo("transfers  set: 1 sends and 0 receives from 0 to 1 with tag 0\n");
        assertThat(inspect("check", scratch.toString(), "--alone").exit()).isZero();
    }

    @Test
    void findsNoDifferenceAfterWritingAndReading() {
        qt().withExamples(25).forAll(integers().between(1, 1_000_000)).checkAssert(seed -> {
            try {
                EtNode[] nodes = random(new Random(seed));
                String before = trace("before.et", nodes);
                CliTester same = inspect("diff", before, trace("after.et", nodes));
                assertThat(same.exit()).as(same.out()).isZero();
                nodes[nodes.length / 2] = nodes[nodes.length / 2].withDuration(7_777_777);
                CliTester other = inspect("diff", before, trace("after.et", nodes));
                assertThat(other.exit()).isEqualTo(ExitCode.CHECK);
                assertThat(other.lines()).singleElement().asString().contains("-> 7777777");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static EtNode[] random(Random random) {
        EtNode[] nodes = new EtNode[1 + random.nextInt(30)];
        Arrays.setAll(nodes, i -> EtNode.of(
                        i,
                        "n" + random.nextInt(5),
                        NodeType.of(1 + random.nextInt(7)),
                        EtAttribute.ofLong("comm_size", random.nextLong()),
                        EtAttribute.ofBools("involved_dim", random.nextBoolean()),
                        EtAttribute.ofText("pg_name", "" + random.nextInt(3)))
                .withDataDeps(i == 0 ? new long[0] : new long[] {random.nextInt(i)})
                .withDuration(random.nextInt(1000)));
        return nodes;
    }

    @Test
    void writesGraphsToTheGivenFile() throws IOException {
        String dot = inspect("graph", RECORDED).out();
        assertThat(dot)
                .startsWith("digraph {")
                .contains("2 -> 3 [arrowhead=normal]")
                .contains("0 -> 1 [arrowhead=tee]");
        for (String format : new String[] {"svg", "graphml", "dot"}) {
            Path file = scratch.resolve("g." + format);
            assertThat(inspect("graph", RECORDED, "--output", file.toString()).exit())
                    .isZero();
            assertThat(Files.size(file)).isGreaterThan(200);
        }
        assertThat(Json.parse(inspect("timeline", RECORDED).out(), "out")
                        .get("traceEvents")
                        .items())
                .hasSizeGreaterThan(11);
    }

    @Test
    void printsNodesInTheOrderOfAFeeder() throws IOException {
        String late = trace(
                "late.0.et",
                EtNode.of(1, "a", NodeType.COMP_NODE).withDataDeps(3),
                EtNodes.withCtrlDeps(EtNode.of(2, "b", NodeType.COMP_NODE), 1),
                EtNode.of(3, "c", NodeType.COMP_NODE));
        assertThat(inspect("show", late, "--feeder", "v1").lines())
                .extracting(line -> Json.parse(line, "line").get("id").asLong())
                .containsExactly(2L, 3L, 1L);
        assertThat(inspect("show", late, "--feeder", "v3").lines())
                .extracting(line -> Json.parse(line, "line").get("id").asLong())
                .containsExactly(3L, 1L, 2L);
        assertThat(inspect("show", late, "--feeder", "v3", "--limit", "1").lines())
                .singleElement()
                .asString()
                .contains("\"id\":3");
    }

    @Test
    void exitsWithThreeWhenAFeederNeverReturnsANode() throws IOException {
        String round = trace(
                "round.0.et",
                EtNode.of(1, "a", NodeType.COMP_NODE),
                EtNode.of(2, "b", NodeType.COMP_NODE).withDataDeps(3),
                EtNode.of(3, "c", NodeType.COMP_NODE).withDataDeps(2));
        for (String version : new String[] {"v1", "v3"}) {
            CliTester run = inspect("show", round, "--feeder", version);
            assertThat(run.exit()).isEqualTo(ExitCode.CHECK);
            assertThat(run.lines()).hasSize(1);
            assertThat(run.err()).contains("no node is ready after 1 nodes, and 2 remain");
        }
        String twice = trace(
                "twice.0.et",
                EtNode.of(1, "a", NodeType.COMP_NODE),
                EtNode.of(2, "b", NodeType.COMP_NODE).withDataDeps(1, 1));
        assertThat(inspect("show", twice, "--feeder", "v1").exit()).isEqualTo(ExitCode.CHECK);
        assertThat(inspect("show", twice, "--feeder", "v3").exit()).isZero();
    }

    @Test
    void replacesAnOutputAtomically() throws IOException {
        String sound = trace("sound.0.et", EtNode.of(1, "a", NodeType.COMP_NODE));
        byte[] bytes = Files.readAllBytes(Path.of(sound));
        CliTester same = inspect("graph", sound, "--format", "dot", "--output", sound);
        assertThat(same.exit()).isEqualTo(ExitCode.INPUT);
        assertThat(same.err()).contains("is an input and would be overwritten");
        assertThat(Path.of(sound)).hasBinaryContent(bytes);

        Path damaged = Files.write(scratch.resolve("damaged.0.et"), Arrays.copyOf(bytes, bytes.length - 1));
        Path output = Files.writeString(scratch.resolve("timeline.json"), "kept");
        CliTester run = inspect("timeline", damaged.toString(), "--output", output.toString());
        assertThat(run.exit()).isEqualTo(ExitCode.INPUT);
        assertThat(output).hasContent("kept");
        assertThat(scratch).isDirectoryNotContaining("glob:**.part");
        assertThat(inspect("timeline", sound, "--output", output.toString()).exit())
                .isZero();
        assertThat(output).content().startsWith("{");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "inspect | expected a trace, or a command",
                "inspect none.et | there is no such file",
                "inspect stats none | no file of this name with .<rank>.et",
                "inspect graph tests-data/chakra/pytorch/send_recv/out/trace.0.et --output x.png | does not select a format",
                "inspect graph tests-data/chakra/pytorch/send_recv/out/trace.0.et --format svg --most 3 | more than --most 3",
                "inspect timeline t.csv --npus 2 | has no effect without --frequency",
                "inspect timeline t.csv --frequency 0 | expected a frequency",
                "inspect timeline t.csv --frequency 1.5GHz | expected a whole number",
                "inspect show tests-data/chakra/pytorch/send_recv/case.json | message 0 at byte",
                "inspect show tests-data/chakra/pytorch/send_recv/out/trace.0.et --feeder v2 | v1",
                "inspect show tests-data/chakra/pytorch/send_recv/out/trace.0.et --feeder v1 --protobuf | cannot be combined",
                "inspect show old.0.eg --feeder v1 | does not support traces of schema 0.0.1",
                "inspect graph tests-data/chakra/pytorch/send_recv/out/trace.0.et --most 3 | has no effect on dot",
                "inspect graph tests-data/chakra/pytorch/send_recv/out/trace.0.et --output none/x.svg | no directory",
                "inspect check tests-data/chakra/pytorch/send_recv/out/trace.0.et --most -1 | expected a number from 0",
                "inspect diff a.et b.et --most -1 | expected a number from 0",
                "inspect grap x | unknown command or argument",
            })
    void exitsWithTwoAndAMessageForInvalidInput(String line, String hint) {
        CliTester run = CliTester.run(line.trim().split(" "));
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.INPUT);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(hint.trim()).doesNotContain("\tat ");
    }
}
