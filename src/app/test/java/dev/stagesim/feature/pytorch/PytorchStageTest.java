package dev.stagesim.feature.pytorch;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.bind.Conditions;
import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.io.chakra.EtReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stage.workload.WorkloadStage;
import dev.stagesim.traces.PytorchSyntheticWorkload;
import dev.stagesim.traces.PytorchWorkload;
import dev.stagesim.traces.PytorchWorkload.UnknownComm;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.WorkloadSettings;
import dev.stagesim.workload.WorkloadStageSettings;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PytorchStageTest {
    private static final Path HOME = Path.of("").toAbsolutePath();

    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    private FakeContext context = new FakeContext(HOME, HOME);

    private Path run(WorkloadSettings workload, CompatMode compat) throws IOException {
        Path out = Files.createTempDirectory(Files.createDirectories(files.getPath("/runs")), "run");
        context = new FakeContext(out, HOME);
        WorkloadStageSettings settings = new WorkloadStageSettings(
                workload, new ArrivalSettings.Poisson(1), compat, new SuiteSettings(SuiteSettings.Values.TABLE));
        new WorkloadStage().check(settings, HOME);
        new WorkloadStage().run(settings, context);
        return out;
    }

    private Path synthetic(int ranks, boolean hasSyncEvents) throws IOException {
        return run(new PytorchSyntheticWorkload(600, ranks, 3, 4, 2, hasSyncEvents), CompatMode.NONE);
    }

    /** Computations and collectives use separate streams, for any number of streams. */
    @ParameterizedTest
    @ValueSource(ints = {1, 53, 54, 64})
    void writesAnyNumberOfStreams(int streams) throws IOException {
        Path out = run(new PytorchSyntheticWorkload(600, 1, 80, 4, streams, false), CompatMode.NONE);
        LocatedJson trace = Json.read(out.resolve("kineto_0.json"));
        Set<Long> used = new TreeSet<>();
        for (LocatedJson event : trace.get("traceEvents").items()) {
            event.find("args", "stream").ifPresent(stream -> used.add(stream.asLong()));
        }
        assertThat(used).hasSize(streams + 1);
    }

    private static PytorchWorkload recorded(Path host, Optional<Path> device, boolean linked) {
        return KeyRecord.of(PytorchWorkload.class, Map.of("host", host, "device", device, "linked", linked));
    }

    private static PytorchWorkload ranksIn(Path folder) {
        return recorded(folder.resolve("host_*.json"), Optional.of(folder.resolve("kineto_*.json")), true);
    }

    private static List<EtNode> nodes(Path trace) throws IOException {
        List<EtNode> nodes = new ArrayList<>();
        try (EtReader reader = EtReader.open(trace)) {
            for (EtNode node = reader.next(); node != null; node = reader.next()) {
                nodes.add(node);
            }
        }
        return nodes;
    }

    @Test
    void requiresTheProfilerTraceUnlessTracesAreLinked() throws IOException {
        PytorchWorkload alone = recorded(synthetic(1, false).resolve("host_0.json"), Optional.empty(), false);
        assertThatThrownBy(() -> run(alone, CompatMode.NONE))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("is not linked");
        assertThat(nodes(run(alone, CompatMode.CHAKRA).resolve("trace.0.et"))).isNotEmpty();
    }

    /** The traces do not contain which recorded synchronisations the reference uses. */
    @Test
    void rejectsRecordedSynchronisationsInReferenceMode() throws IOException {
        PytorchWorkload recorded = ranksIn(synthetic(2, true));
        assertThatThrownBy(() -> run(recorded, CompatMode.CHAKRA))
                .isInstanceOfSatisfying(StageException.class, e -> assertThat(
                                e.problems().get(0).render())
                        .contains("choice of synchronisations")
                        .contains("workload.sync_table names synchronisations"));
        assertThat(nodes(run(recorded, CompatMode.NONE).resolve("trace.0.et"))).isNotEmpty();
        assertThat(nodes(run(ranksIn(synthetic(2, false)), CompatMode.CHAKRA).resolve("trace.0.et")))
                .isNotEmpty();
    }

    @Test
    void bindsDefaultsAndEveryKey() {
        WorkloadSettings everyKey = KeyRecord.of(
                PytorchWorkload.class,
                Map.ofEntries(
                        entry("dir", Optional.of(Path.of("r"))),
                        entry("host", Path.of("h")),
                        entry("device", Optional.of(Path.of("d"))),
                        entry("numNpus", Optional.of(3)),
                        entry("rank", Optional.of(2)),
                        entry("output", "o"),
                        entry("linked", true),
                        entry("pause", 5),
                        entry("syncTable", Optional.of(Path.of("s"))),
                        entry("unknownComm", Optional.of(UnknownComm.COMPUTE)),
                        entry("simulate", true)));
        ArrivalSettings arrival = new ArrivalSettings.Fixed(2, 3);
        SettingsContract.assertEveryKeyNonDefault(new WorkloadStageSettings(
                everyKey, arrival, CompatMode.CHAKRA, new SuiteSettings(SuiteSettings.Values.PROGRAM)));
        SettingsContract.assertEveryKeyNonDefault(new WorkloadStageSettings(
                new PytorchSyntheticWorkload(200, 2, 3, 4, 5, true),
                arrival,
                CompatMode.CHAKRA,
                new SuiteSettings(SuiteSettings.Values.PROGRAM)));
    }

    @Test
    void writesATraceWithMatchingTransfersPerRank() throws IOException {
        Path out = run(ranksIn(synthetic(3, true)), CompatMode.NONE);
        List<String> sent = new ArrayList<>();
        List<String> received = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
            for (EtNode node : nodes(out.resolve("trace." + rank + ".et"))) {
                String way = node.longAttribute("comm_src") + " " + node.longAttribute("comm_dst") + " "
                        + node.longAttribute("comm_tag") + " " + node.longAttribute("comm_size");
                if (node.type() == NodeType.COMM_SEND_NODE) {
                    sent.add(way);
                } else if (node.type() == NodeType.COMM_RECV_NODE) {
                    received.add(way);
                }
            }
        }
        assertThat(sent).hasSizeGreaterThan(3).containsExactlyInAnyOrderElementsOf(received);
        assertThat(context.warnings).isEmpty();
        assertThat(context.headlines.get("comm_bytes")).isPositive();
        assertThat(out.resolve("trace.3.et")).doesNotExist();
    }

    @Test
    void leavesDanglingDependenciesOnlyInReferenceMode() throws IOException {
        Path folder = synthetic(1, false);
        List<EtNode> own = nodes(run(ranksIn(folder), CompatMode.NONE).resolve("trace.0.et"));
        List<Long> ids = own.stream().map(EtNode::id).toList();
        assertThat(own).allSatisfy(node -> {
            for (long id : node.ctrlDeps()) {
                assertThat(ids).contains(id);
            }
        });
        assertThat(own).anySatisfy(node -> assertThat(node.startTimeMicros()).isPositive());
        List<EtNode> reference = nodes(run(ranksIn(folder), CompatMode.CHAKRA).resolve("trace.0.et"));
        assertThat(reference).hasSize(own.size() - 1);
        assertThat(reference.get(0).ctrlDeps()).containsExactly(0);
    }

    @Test
    void convertsALinkedTraceLikeLinkingAndConverting() throws IOException {
        Path folder = synthetic(2, true);
        for (CompatMode compat : List.of(CompatMode.NONE, CompatMode.CHAKRA)) {
            Path source = compat == CompatMode.NONE ? folder : synthetic(2, false);
            Path out = run(ranksIn(source), compat);
            Path again = run(recorded(out.resolve("linked.*.json"), Optional.empty(), false), compat);
            assertThat(again.resolve("trace.1.et")).hasSameBinaryContentAs(out.resolve("trace.1.et"));
        }
    }

    @Test
    void omitsNodesThatASimulatorCannotRun() throws IOException {
        Path folder = synthetic(2, false);
        for (int rank = 0; rank < 2; rank++) {
            Path host = folder.resolve("host_" + rank + ".json");
            String text = Files.readString(host)
                    .replace("\\\"pg_name\\\": \\\"0\\\"", "\\\"pg_name\\\": \\\"5\\\"")
                    .replace("\\\"ranks\\\": []", "\\\"ranks\\\": [1, 0]")
                    .replace(
                            "\"pg_name\", \"type\": \"string\", \"value\": \"0\"",
                            "\"pg_name\", \"type\": \"string\", \"value\": \"5\"");
            Files.writeString(host, text);
            Path device = folder.resolve("kineto_" + rank + ".json");
            Files.writeString(
                    device,
                    Files.readString(device).replace("\"Process Group Name\": \"0\"", "\"Process Group Name\": \"5\""));
        }
        Path out = run(ranksIn(folder), CompatMode.NONE);
        List<EtNode> nodes = nodes(out.resolve("trace.1.et"));
        assertThat(nodes).extracting(EtNode::type).doesNotContain(NodeType.METADATA_NODE);
        assertThat(nodes.stream().filter(node -> node.type() == NodeType.COMM_COLL_NODE))
                .isNotEmpty()
                .allSatisfy(node -> assertThat(node.textAttribute("pg_name")).contains("5"));
        assertThat(Files.readString(out.resolve("comm_groups.json")))
                .contains("\"5\"")
                .containsSubsequence("1", "0");
        assertThat(nodes(run(ranksIn(folder), CompatMode.CHAKRA).resolve("trace.1.et")))
                .extracting(EtNode::type)
                .contains(NodeType.METADATA_NODE);
    }

    @Test
    void readsCompressedFiles() throws IOException {
        Path folder = synthetic(1, false);
        for (String name : List.of("host_0.json", "kineto_0.json")) {
            try (GZIPOutputStream packed = new GZIPOutputStream(Files.newOutputStream(folder.resolve(name + ".gz")))) {
                Files.copy(folder.resolve(name), packed);
            }
        }
        Path plain = run(ranksIn(folder), CompatMode.NONE);
        Path packed = run(
                recorded(folder.resolve("host_*.json.gz"), Optional.of(folder.resolve("kineto_*.json.gz")), false),
                CompatMode.NONE);
        assertThat(packed.resolve("trace.0.et")).hasSameBinaryContentAs(plain.resolve("trace.0.et"));
    }

    @Test
    void readsNewerSchemasLikeTheLatest() throws IOException {
        Path folder = synthetic(1, false);
        Path host = folder.resolve("host_0.json");
        Files.writeString(host, Files.readString(host).replace("1.1.1-chakra.0.0.4", "9.9.9-chakra.2.0.0"));
        run(ranksIn(folder), CompatMode.NONE);
        assertThat(context.warnings).singleElement().asString().contains("9.9.9-chakra.2.0.0 is unknown");
        assertThatThrownBy(() -> run(ranksIn(folder), CompatMode.CHAKRA))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("does not support the schema '9.9.9-chakra.2.0.0'");
    }

    @Test
    void rejectsKeysWithoutEffectAndMissingFiles() {
        Path none = files.getPath("/none_*.json");
        PytorchWorkload linked = KeyRecord.of(
                PytorchWorkload.class,
                Map.ofEntries(
                        entry("host", files.getPath("/l.json")),
                        entry("numNpus", Optional.of(2)),
                        entry("output", "a/b"),
                        entry("linked", true),
                        entry("pause", 7),
                        entry("unknownComm", Optional.of(UnknownComm.FAIL))));
        assertThatThrownBy(() -> PytorchChecks.check(linked, CompatMode.CHAKRA))
                .isInstanceOfSatisfying(StageException.class, e -> assertThat(e.problems())
                        .extracting("where")
                        .containsExactly("workload.unknown_comm", "workload.output", "workload.num_npus"));
        assertThat(Conditions.problems(linked)).extracting("where").containsExactly("linked", "pause");
        assertThatThrownBy(() -> run(recorded(none, Optional.empty(), false), CompatMode.NONE))
                .hasMessageContaining("there is no file /none_0.json");
        assertThatThrownBy(() -> run(recorded(none, Optional.empty(), false), CompatMode.VIDUR))
                .hasMessageContaining("compat: has no effect");
    }
}
