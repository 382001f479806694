package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Converts, inspects and simulates a recorded PyTorch run from the command line. */
@Tag("acceptance")
class InspectIT {
    @TempDir
    Path scratch;

    private StageProcess.Result run(String... arguments) {
        return new StageProcess(scratch).run(arguments);
    }

    @Test
    void linksConvertsChecksAndSimulatesARecordedRun() throws Exception {
        String made = run(
                        "workload",
                        "workload=pytorch_synthetic",
                        "workload.events=600",
                        "workload.ranks=2",
                        "workload.layers=4")
                .line();
        String traces = run(
                        "workload",
                        "workload=pytorch_example",
                        "workload.host=" + made + "/host_*.json",
                        "workload.device=" + made + "/kineto_*.json")
                .line();
        StageProcess.Result check = run("inspect", "check", traces, "--json");
        assertThat(check.exit()).as(check.err()).isZero();
        assertThat(check.line()).contains("\"traces\":2").contains("\"findings\":[]");
        String simulated = run("astra_sim", "workload.dir=" + traces, "network.topology.npus_count=[2]")
                .line();
        assertThat(scratch.resolve(simulated).resolve("run_meta.json")).exists();
    }

    @Test
    void printsDrawsAndComparesTraces() throws Exception {
        String own = run("workload", "workload=pytorch_example").line() + "/trace.0.et";
        String reference =
                run("workload", "workload=pytorch_example", "compat=chakra").line();
        assertThat(run("inspect", own).out()).startsWith("{\"metadata\"").contains("\n{\"id\":0,");
        assertThat(run("inspect", "graph", own, "--output", "g.svg").exit()).isZero();
        assertThat(Files.readString(scratch.resolve("g.svg"))).endsWith("</svg>\n");
        StageProcess.Result diff = run("inspect", "diff", reference + "/trace.0.et", own);
        assertThat(diff.exit()).isEqualTo(3);
        assertThat(diff.out()).startsWith("added node 0 ");
        StageProcess.Result check = run("inspect", "check", reference);
        assertThat(check.exit()).isEqualTo(3);
        assertThat(check.out()).contains("node 0 (control), which is not there");
    }

    @Test
    void locatesDamage() throws Exception {
        String own = run("workload", "workload=pytorch_example").line() + "/trace.0.et";
        byte[] bytes = Files.readAllBytes(scratch.resolve(own));
        Files.write(scratch.resolve("cut.et"), Arrays.copyOf(bytes, bytes.length - 7));
        StageProcess.Result run = run("inspect", "stats", "cut.et");
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("cut.et: message 223 at byte").contains("the file ends after");
    }
}
