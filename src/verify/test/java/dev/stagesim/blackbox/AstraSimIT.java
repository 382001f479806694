package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The documented walk-through of ASTRA-sim, and conversions between its files and the presets. */
@Tag("acceptance")
class AstraSimIT {
    private static final String[] ONE_NODE = {
        "workload.pattern=oneCommNodeAllReduce", "workload.num_npus=64", "workload.comm_size=65536"
    };

    @TempDir
    Path scratch;

    private StageProcess.Result run(String... arguments) {
        return new StageProcess(scratch).run(arguments);
    }

    private StageProcess.Result simulate(String... more) {
        String[] all = new String[ONE_NODE.length + more.length + 1];
        all[0] = "astra_sim";
        System.arraycopy(ONE_NODE, 0, all, 1, ONE_NODE.length);
        System.arraycopy(more, 0, all, 1 + ONE_NODE.length, more.length);
        return run(all);
    }

    @Test
    void reproducesTheCyclesOfBothReleases() throws IOException {
        StageProcess.Result old =
                simulate("system=halving_doubling", "network=switch_64", "compat=astra-2023", "--native-log");
        assertThat(old.exit()).as(old.err()).isZero();
        assertThat(old.err()).contains("sys[0] finished, 50904 cycles\n").contains("sys[63] finished, 50904 cycles\n");
        assertThat(old.out().lines()).hasSize(1);
        StageProcess.Result now = simulate("system=halving_doubling", "network=switch_64", "compat=astra");
        assertThat(Files.readString(scratch.resolve(now.line()).resolve("native.log")))
                .contains("sys[63] finished, 52776 cycles, exposed communication 52776 cycles.");
    }

    @Test
    void reproducesTheSecondHalfOfTheWalkThrough() throws IOException {
        Path peer = Path.of("..", "shared", "data", "astra-sim-walkthrough").toAbsolutePath();
        assumeTrue(Files.isDirectory(peer), () -> "the walk-through's files are not beside the repository: " + peer);
        StageProcess.Result traces = run(
                "workload",
                "workload.kind=chakra_text",
                "workload.file=" + peer.resolve("Resnet50_DataParallel.txt"),
                "workload.num_npus=64");
        for (List<String> figure : List.of(List.of("astra-2023", "6749042"), List.of("astra", "9711974"))) {
            StageProcess.Result run = run(
                    "astra_sim",
                    "workload.dir=" + traces.line(),
                    "system=file",
                    "system.file=" + peer.resolve("Switch.json"),
                    "network=file",
                    "network.topology.file=" + peer.resolve("Switch.yml"),
                    "compat=" + figure.get(0));
            assertThat(Files.readString(scratch.resolve(run.line()).resolve("native.log")))
                    .as(run.err())
                    .contains("sys[0] finished, " + figure.get(1) + " cycles")
                    .contains("sys[63] finished, " + figure.get(1) + " cycles");
        }
    }

    @Test
    void convertsFilesToPresets() throws IOException {
        Path system = Files.writeString(
                scratch.resolve("system.json"),
                """
                {"scheduling-policy": "FIFO", "endpoint-delay": 13, "active-chunks-per-dimension": 2,
                 "preferred-dataset-splits": 3, "collective-optimization": "baseline", "local-mem-bw": 77.7,
                 "all-reduce-implementation": ["direct4"], "all-gather-implementation": ["ring"],
                 "reduce-scatter-implementation": ["oneRing"], "all-to-all-implementation": ["direct"],
                 "model-shared-bus": 1, "L": 5, "o": 2, "g": 1, "G": 0.01, "local-reduction-delay": 3}
                """);
        Path network = Files.writeString(
                scratch.resolve("network.yml"),
                "topology: [ Ring ]\nnpus_count: [ 64 ]\nbandwidth: [ 37.5 ]\nlatency: [ 120.25 ]\n");
        Path memory = Files.writeString(
                scratch.resolve("memory.json"),
                "{\"memory-type\": \"MEMORY_POOL\", \"remote-mem-latency\": 5, \"remote-mem-bw\": 7}");
        StageProcess.Result files = simulate(
                "system=file",
                "system.file=" + system,
                "network=file",
                "network.topology.file=" + network,
                "memory=file",
                "memory.file=" + memory,
                "compat=astra");
        assertThat(files.exit()).as(files.err()).isZero();
        Path made = scratch.resolve(files.line());
        for (String group : new String[] {"system", "network", "memory"}) {
            Path preset = scratch.resolve("configs").resolve(group).resolve("mine.conf");
            Files.createDirectories(preset.getParent());
            Files.copy(made.resolve("presets/" + group + ".conf"), preset);
        }
        StageProcess.Result presets = simulate(
                "--config-dir",
                scratch.resolve("configs").toString(),
                "system=mine",
                "network=mine",
                "memory=mine",
                "compat=astra");
        assertThat(presets.exit()).as(presets.err()).isZero();
        Path again = scratch.resolve(presets.line());
        assertThat(again).isNotEqualTo(made);
        for (String name : new String[] {
            "native.log", "npu_metrics.csv", "reference/system.json", "reference/network.yml", "reference/memory.json"
        }) {
            assertThat(again.resolve(name)).hasSameTextualContentAs(made.resolve(name));
        }
    }

    @Test
    void explainsATraceThatCannotEnd() {
        StageProcess.Result run = run(
                "astra_sim",
                "workload.pattern=oneCommNodeAllReduce",
                "workload.num_npus=6",
                "network.topology.npus_count=[6]",
                "system=halving_doubling",
                "compat=astra");
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("6 of 6 NPUs never finish").doesNotContain("Exception");
    }
}
