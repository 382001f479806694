package dev.stagesim.stage.astrasim;

import static dev.stagesim.stage.astrasim.TestRun.allReduce;
import static dev.stagesim.stage.astrasim.TestRun.allToAll;
import static dev.stagesim.stage.astrasim.TestRun.compute;
import static dev.stagesim.stage.astrasim.TestRun.dims;
import static dev.stagesim.stage.astrasim.TestRun.message;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.astra.AstraTables;
import dev.stagesim.io.astra.NetworkFiles;
import dev.stagesim.io.astra.SystemFiles;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.network.FabricSettings;
import dev.stagesim.network.FabricSettings.Gigabyte;
import dev.stagesim.network.MemorySettings;
import dev.stagesim.network.NetworkSettings.Backend;
import dev.stagesim.network.SystemSettings;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import dev.stagesim.sim.network.Topology;
import dev.stagesim.sim.trace.feed.FeederVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class AstraSimStageTest {
    private static final long MIB = 1 << 20;

    private final TestRun run;

    AstraSimStageTest() throws IOException {
        run = new TestRun();
    }

    @Test
    void writesEveryArtifact() throws IOException {
        run.network = dims(Backend.CONGESTION_AWARE, Topology.RING, 4);
        run.traces(4, compute(1, 3), allReduce(2, MIB, 1), compute(3, 50, 1));
        run.run();
        // The ring of 4 takes 88,744 for 1 MiB, after 3 us of computation: 88,720 with every message truncated, plus
        // 24 of rounding up.
        List<List<String>> npus = rows(AstraTables.NPUS);
        assertThat(npus).hasSize(4);
        assertThat(npus.get(3)).startsWith("3", "91744", "38744", "53000", "88744", "50000");
        assertThat(rows(AstraTables.NODES))
                .hasSize(12)
                .contains(List.of("2", "2", "all-reduce 2", "collective", "1048576", "3000", "91744"));
        assertThat(rows(AstraTables.EXPOSED)).contains(List.of("0", "53000", "91744", "all-reduce 2"));
        assertThat(rows(AstraTables.LINKS)).hasSize(8);
        assertThat(rows(AstraTables.MATRIX)).hasSize(4).contains(List.of("3", "0", "24", "1572864"));
        assertThat(run.out.resolve("waiting.csv")).doesNotExist();
        assertThat(Files.readString(run.out.resolve("native.log")))
                .startsWith("[workload] [info] sys[0] finished, 91744 cycles, exposed communication 38744 cycles.\n")
                .contains("sys[3], Total compute-communication overlap: 50000\n");
        assertThat(Json.read(run.out.resolve("trace.json")).get("traceEvents").items())
                .hasSize(12 + 4 * 3);
        assertThat(Files.readString(run.out.resolve("report.html"))).contains("Timeline", "Communication matrix");
        assertThat(Files.readString(run.out.resolve("summary.md")))
                .contains("All 4 NPUs finish after 91,744 cycles (91.74\u00a0µs).");
        assertThat(run.context.headlines).containsEntry("duration_cycles", 91744.0);
    }

    @Test
    void writesEqualTablesWithAndWithoutSymmetry() throws IOException {
        List<String> names = List.of(
                "npu_metrics.csv",
                "node_timeline.csv",
                "exposed_communication.csv",
                "communication_matrix.csv",
                "trace.json",
                "native.log");
        for (String algorithm : List.of("ring", "direct", "halvingDoubling")) {
            List<List<String>> found = new ArrayList<>();
            for (boolean symmetry : new boolean[] {true, false}) {
                TestRun one = new TestRun();
                one.symmetry = symmetry;
                one.system = TestRun.keys(algorithm, algorithm);
                one.network = TestRun.network(
                        Backend.CONGESTION_UNAWARE,
                        new FabricSettings.Dims(
                                List.of(Topology.SWITCH, Topology.RING),
                                List.of(4, 2),
                                List.of(50.0, 25.0),
                                List.of(500.0, 700.0),
                                Gigabyte.BINARY));
                one.traces(8, allReduce(2, MIB), compute(3, 7, 2), allReduce(4, MIB + 1, 3));
                one.run();
                List<String> texts = new ArrayList<>();
                for (String name : names) {
                    texts.add(Files.readString(one.out.resolve(name)));
                }
                found.add(texts);
                assertThat(Files.readString(one.out.resolve("summary.md")))
                        .contains("| NPUs simulated one by one | " + (symmetry ? "1 |" : "8 |"));
            }
            assertThat(found.get(0)).as(algorithm).isEqualTo(found.get(1));
        }
    }

    /**
     * Eight NPUs send at once. Without congestion they use more than the rates of their links, which causes a warning.
     */
    @Test
    void warnsAboutImplausibleBandwidth() throws IOException {
        for (Backend backend : new Backend[] {Backend.CONGESTION_UNAWARE, Backend.CONGESTION_AWARE}) {
            TestRun one = new TestRun();
            one.system = TestRun.keys("direct");
            one.network = dims(backend, Topology.SWITCH, 8);
            one.traces(8, allToAll(2, 1024 * MIB));
            one.run();
            boolean isTooFast = one.context.headlines.get("bus_bandwidth_gbs") > 50 * 1.073741824;
            assertThat(isTooFast).isEqualTo(backend == Backend.CONGESTION_UNAWARE);
            assertThat(one.context.warnings.toString().contains("links carry more than their rate allows"))
                    .isEqualTo(isTooFast);
            assertThat(Files.readString(one.out.resolve("summary.md"))).contains("Bus bandwidth (GB/s)");
        }
    }

    @Test
    void reportsThatMessagesWereNotRecorded() throws IOException {
        run.traces(4, compute(1, 1));
        run.trace(1, message(5, NodeType.COMM_SEND_NODE, 1, 2, 64));
        run.run();
        assertThat(run.context.warnings)
                .containsExactly(
                        "1 message arrived without a receive, first 64 bytes from NPU 1 to NPU 2 with" + " tag 7");
    }

    @Test
    void writesEquivalentReferenceFiles() throws IOException {
        run.traces(4, allReduce(2, MIB));
        run.run();
        run.system = new SystemSettings.File(run.out.resolve("reference/system.json"));
        run.network = TestRun.network(
                Backend.CONGESTION_UNAWARE, new FabricSettings.File(run.out.resolve("reference/network.yml")));
        SystemInputs files = SystemInputs.resolve(run.settings(), run.out);
        TestRun reported = new TestRun();
        SystemInputs keys = SystemInputs.resolve(reported.settings(), run.out);
        assertThat(files.system()).isEqualTo(keys.system());
        assertThat(files.network()).isEqualTo(keys.network());
        assertThat(SystemFiles.read(run.out.resolve("reference/system.json"), AstraCompat.ASTRA)
                        .warnings())
                .isEmpty();
        assertThat(NetworkFiles.read(run.out.resolve("reference/network.yml"), Contention.UNAWARE, AstraCompat.ASTRA)
                        .warnings())
                .isEmpty();
    }

    @Test
    void reportsWaitingNpusOfDeadlock() throws IOException {
        run.traces(4, compute(1, 1));
        run.trace(1, message(5, NodeType.COMM_RECV_NODE, 2, 1, 64));
        run.trace(2, message(5, NodeType.COMM_RECV_NODE, 1, 2, 64));
        StageException thrown = catchThrowableOfType(StageException.class, run::run);
        assertThat(thrown.kind()).isEqualTo(StageException.Kind.INPUT);
        assertThat(thrown.problems().get(0).render())
                .contains("deadlock at 1000 ns")
                .contains("2 of 4 NPUs never finish")
                .contains("NPU 1 waits for NPU 2 waits for NPU 1");
        assertThat(run.out).isEmptyDirectory();
    }

    @Test
    void stopsAtTimeLimit() throws IOException {
        run.traces(4, allReduce(2, MIB), compute(3, 1000, 2));
        run.trace(3, allReduce(2, MIB));
        run.stopAt = Optional.of(100_000L);
        run.run();
        assertThat(rows(AstraTables.NPUS).get(3)).startsWith("3", "88720");
        assertThat(rows(AstraTables.NPUS).get(0)).startsWith("0", "");
        assertThat(rows(AstraTables.NODES)).hasSize(4);
        assertThat(rows(AstraTables.WAITING)).hasSize(3);
        assertThat(run.context.warnings).anyMatch(text -> text.contains("3 of 4 NPUs were not done"));
        assertThat(run.context.headlines).containsEntry("stopped_at_ns", 100_000.0);
    }

    @Test
    void reportsFoldedNpusAtTimeLimit() throws IOException {
        List<List<List<String>>> found = new ArrayList<>();
        for (boolean symmetry : new boolean[] {true, false}) {
            TestRun one = new TestRun();
            one.symmetry = symmetry;
            one.traces(4, allReduce(2, MIB));
            one.stopAt = Optional.of(1000L);
            one.run();
            found.add(rows(one, AstraTables.WAITING));
        }
        assertThat(found.get(0)).hasSize(4).isEqualTo(found.get(1));
        assertThat(found.get(0).get(1).get(2)).contains("waits for messages from NPU 0");
    }

    @Test
    void rejectsUnusedMemory() throws IOException {
        run.traces(4, allReduce(2, MIB));
        run.memory = new MemorySettings.Pool(10, 5);
        assertThat(catchThrowableOfType(StageException.class, run::run)
                        .problems()
                        .get(0)
                        .render())
                .contains("memory: it has no effect: no node of the traces loads from memory or stores to it");
        run.compat = AstraCompat.ASTRA;
        run.run();
        assertThat(run.context.warnings).anyMatch(text -> text.contains("memory: it has no effect"));
    }

    @Test
    void keepsMetricsWhenStopIsAfterEnd() throws IOException {
        for (Backend backend : List.of(Backend.CONGESTION_UNAWARE, Backend.CONGESTION_AWARE)) {
            for (boolean symmetry : List.of(true, false)) {
                TestRun whole = stopped(backend, symmetry, Optional.empty());
                long end = Math.round(whole.context.headlines.get("duration_cycles"));
                for (long stop : List.of(end, end + 1, 5_000_000L)) {
                    TestRun late = stopped(backend, symmetry, Optional.of(stop));
                    assertThat(late.context.warnings)
                            .contains("simulation.stop_at_ns=" + stop + " had no effect: all NPUs were done at " + end
                                    + " ns");
                    assertThat(late.context.headlines).isEqualTo(whole.context.headlines);
                    for (String name : List.of("npu_metrics.csv", "summary.md", "native.log")) {
                        assertThat(late.out.resolve(name)).hasSameTextualContentAs(whole.out.resolve(name));
                    }
                    assertThat(late.out.resolve(AstraTables.WAITING.name())).doesNotExist();
                }
                assertThat(stopped(backend, symmetry, Optional.of(end - 1)).context.headlines)
                        .containsEntry("finished_npus", 0.0);
            }
        }
    }

    private static TestRun stopped(Backend backend, boolean symmetry, Optional<Long> at) throws IOException {
        TestRun one = new TestRun();
        one.network = dims(backend, Topology.RING, 4);
        one.symmetry = symmetry;
        one.stopAt = at;
        one.traces(4, allReduce(2, MIB));
        one.run();
        return one;
    }

    @Test
    void omitsTimesWhenNoNpuFinished() throws IOException {
        run.traces(4, allReduce(2, MIB));
        run.stopAt = Optional.of(1000L);
        run.run();
        assertThat(Files.readString(run.out.resolve("summary.md")))
                .contains("0 of 4 NPUs were done")
                .doesNotContain("On average", "Where the time goes");
        assertThat(run.context.headlines).doesNotContainKey("communication_mean_ns");
    }

    @Test
    void rejectsTracesWithoutNpu() throws IOException {
        run.traces(6, allReduce(2, MIB));
        StageException thrown = catchThrowableOfType(StageException.class, run::run);
        assertThat(thrown.problems().get(0).render()).contains("traces for 6 NPUs, but the network has 4");
        run.compat = AstraCompat.ASTRA;
        run.run();
        assertThat(run.context.warnings).anyMatch(text -> text.contains("passed over"));
        assertThat(run.context.headlines).containsEntry("finished_npus", 4.0);
    }

    @Test
    void reportsProblemsOfAllPartsTogether() throws IOException {
        run.traces(4, allReduce(2, MIB));
        run.system = TestRun.keys("ring", "rings");
        run.network = TestRun.network(
                Backend.CONGESTION_AWARE,
                new FabricSettings.Dims(
                        List.of(Topology.RING), List.of(4, 2), List.of(1.0), List.of(1.0), Gigabyte.DECIMAL));
        StageException thrown =
                catchThrowableOfType(StageException.class, () -> new AstraSimStage().check(run.settings(), run.out));
        assertThat(thrown.problems()).hasSize(5);
        assertThat(thrown.problems().get(0).render()).contains("'rings'").contains("did you mean  ring");
        run.system = TestRun.keys("ring", "ring");
        run.network = dims(Backend.CONGESTION_UNAWARE, Topology.RING, 4);
        StageException tooMany =
                catchThrowableOfType(StageException.class, () -> new AstraSimStage().check(run.settings(), run.out));
        assertThat(tooMany.problems()).singleElement().satisfies(problem -> assertThat(problem.what())
                .isEqualTo("the lists of algorithms for all-reduce, all-gather, reduce-scatter, all-to-all have"
                        + " 2 entries, but the network has 1 dimension"));
    }

    @Test
    void rejectsCollectivesThatMissNpus() throws IOException {
        run.traces(8, allReduce(2, MIB));
        run.system = TestRun.keys("ring");
        run.network = TestRun.network(
                Backend.CONGESTION_UNAWARE,
                new FabricSettings.Dims(
                        List.of(Topology.RING, Topology.RING),
                        List.of(4, 2),
                        List.of(50.0, 50.0),
                        List.of(500.0, 500.0),
                        Gigabyte.DECIMAL));
        StageException thrown =
                catchThrowableOfType(StageException.class, () -> new AstraSimStage().check(run.settings(), run.out));
        assertThat(thrown.problems().get(0).render())
                .contains("have 1 entry, but the network has 2 dimensions")
                .contains("oneRing");
        run.compat = AstraCompat.ASTRA;
        run.run();
        assertThat(run.context.warnings).anyMatch(text -> text.contains("2 dimensions"));
        run.compat = AstraCompat.NONE;
        run.system = TestRun.keys("oneRing");
        run.run();
        assertThat(run.context.headlines).containsEntry("finished_npus", 8.0);
    }

    @Test
    void rejectsHalvingDoublingAmongSixNpus() throws IOException {
        run.traces(6, allReduce(2, MIB));
        run.system = TestRun.keys("halvingDoubling");
        run.network = dims(Backend.CONGESTION_UNAWARE, Topology.SWITCH, 6);
        assertThat(catchThrowableOfType(StageException.class, run::run)
                        .problems()
                        .get(0)
                        .render())
                .contains("power of two NPUs, and dimension 0 has 6");
    }

    @Test
    void rejectsUnusedGroups() throws IOException {
        run.traces(4, allReduce(2, MIB));
        run.groups = Optional.of(Files.writeString(run.files.getPath("/groups.json"), "{\"1\": [0, 1]}"));
        assertThat(catchThrowableOfType(StageException.class, run::run)
                        .problems()
                        .get(0)
                        .render())
                .contains("groups.file")
                .contains("no collective of the traces names one of its groups");
        run.compat = AstraCompat.ASTRA;
        run.run();
        assertThat(run.context.warnings).anyMatch(text -> text.contains("groups.file"));
    }

    @Test
    void reportsKeyOfMissingGroupsFile() throws IOException {
        run.traces(4, allReduce(2, MIB));
        run.groups = Optional.of(run.files.getPath("/nonexist"));
        assertThat(catchThrowableOfType(StageException.class, () -> new AstraSimStage().reads(run.settings(), run.out))
                        .problems()
                        .get(0)
                        .render())
                .contains("groups.file", "there is no file /nonexist");
    }

    @Test
    void followsFirstFeederWhenConfigured() throws IOException {
        EtNode second = compute(2, 5);
        run.traces(
                4,
                compute(1, 10),
                KeyRecord.with(
                        EtNode.class,
                        second,
                        Map.ofEntries(
                                entry("id", 2),
                                entry("ctrlDeps", new long[] {1}),
                                entry("dataDeps", new long[0]),
                                entry("startTimeMicros", 0),
                                entry("durationMicros", 5),
                                entry("unknown", new byte[0]))),
                compute(3, 1, 9));
        StageException missing = catchThrowableOfType(StageException.class, run::run);
        assertThat(missing.problems().get(0).render()).contains("node 3 depends on node 9, which does not exist");
        run.feeder = FeederVersion.V1;
        StageException stuck = catchThrowableOfType(StageException.class, run::run);
        assertThat(stuck.problems().get(0).render())
                .contains("deadlock at 15000 ns")
                .contains("can never start");
    }

    @Test
    void rejectsDuplicateIds() throws IOException {
        run.traces(4, compute(1, 1), compute(1, 2));
        assertThat(catchThrowableOfType(StageException.class, run::run)
                        .problems()
                        .get(0)
                        .render())
                .contains("two nodes have the id 1");
        run.compat = AstraCompat.ASTRA;
        run.run();
        assertThat(run.context.headlines).containsEntry("duration_cycles", 2000.0);
    }

    @Test
    void appliesReferenceLimitsOnlyInReferenceMode() throws IOException {
        run.system = TestRun.keys("ring", "ring");
        run.network = TestRun.network(
                Backend.CONGESTION_AWARE,
                new FabricSettings.Dims(
                        List.of(Topology.RING, Topology.MESH),
                        List.of(2, 3),
                        List.of(50.0, 25.0),
                        List.of(500.0, 500.0),
                        Gigabyte.DECIMAL));
        run.traces(6, allReduce(2, MIB));
        run.run();
        assertThat(run.context.headlines).containsEntry("finished_npus", 6.0);
        assertThat(run.out.resolve("reference/network.yml")).doesNotExist();
        run.compat = AstraCompat.ASTRA;
        StageException thrown =
                catchThrowableOfType(StageException.class, () -> new AstraSimStage().check(run.settings(), run.out));
        assertThat(thrown.problems()).hasSize(2);
    }

    @Test
    void runsOnGeneratedNetworks() throws IOException {
        run.traces(16, allReduce(2, MIB));
        run.system = TestRun.keys("halvingDoubling");
        run.network = TestRun.network(
                Backend.CONGESTION_AWARE,
                new FabricSettings.FatTree(
                        4, 16, 1, List.of(50.0, 50.0, 50.0), List.of(100.0, 100.0, 100.0), Gigabyte.DECIMAL));
        run.run();
        assertThat(rows(AstraTables.LINKS)).hasSize(96);
        run.traces(18, allReduce(2, MIB));
        run.system = TestRun.keys("direct");
        run.network = TestRun.network(
                Backend.CONGESTION_UNAWARE,
                new FabricSettings.Dragonfly(
                        3, 2, 3, 1, List.of(50.0, 50.0, 50.0), List.of(100.0, 100.0, 100.0), Gigabyte.DECIMAL));
        run.run();
        assertThat(run.context.headlines).containsEntry("finished_npus", 18.0);
    }

    private List<List<String>> rows(TableSchema schema) throws IOException {
        return rows(run, schema);
    }

    private static List<List<String>> rows(TestRun its, TableSchema schema) throws IOException {
        List<List<String>> rows = new ArrayList<>();
        try (TableReader reader = TableReader.open(its.out.resolve(schema.name()), schema)) {
            while (reader.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 0; i < reader.header().size(); i++) {
                    row.add(reader.isEmpty(i) ? "" : reader.stringAt(i));
                }
                rows.add(row);
            }
        }
        return rows;
    }
}
