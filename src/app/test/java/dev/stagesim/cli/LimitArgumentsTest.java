package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.ChildJava;
import dev.stagesim.cli.console.Home;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits reject runs that would take too much time or memory before they start. The command line can raise them. */
@Tag("acceptance")
final class LimitArgumentsTest {
    @TempDir
    private Path dir;

    /** Returns the output of each command with its exit code at the end. */
    private List<String> run(String... commands) throws Exception {
        List<String> command = ChildJava.command(
                CommandServer.class,
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-Dstagesim.home=" + Home.fromEnvironment().dir());
        Process process = new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .start();
        try (Writer to = process.outputWriter(StandardCharsets.UTF_8)) {
            for (String line : commands) {
                to.write(line.replace(' ', '\t') + "\n");
            }
        }
        String all = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return Arrays.stream(all.split("(?<=" + CommandServer.END + "\\d)\\s*")).toList();
    }

    private static String directory(String output) {
        return output.lines()
                .filter(line -> line.startsWith("tmp/"))
                .findFirst()
                .orElse("none in " + output);
    }

    @Test
    void rejectsRunsAboveALimitUntilItIsRaised() throws Exception {
        Files.writeString(dir.resolve("products.csv"), "Layer,M,N,K,Products,\na,4,4,4,x2,\n");
        List<String> output = run(
                "workload workload.num_requests=1000000000",
                "workload workload.num_requests=600 limits.events=500",
                "workload workload.num_requests=600 limits.events=700",
                "workload workload.num_requests=600",
                "astra_sim network=packet_star_8 limits.events=10",
                "vidur_sim workload.num_requests=50 limits.events=60",
                "workload workload.num_requests=600 limits.evnts=3",
                "workload -m workload.num_requests=500,800 limits.events=700",
                "workload --cfg job limits.events=3",
                "scale_sim topology=bert_large arch=ws_128 traces=true limits.events=1000",
                "scale_sim topology=bert_large arch=ws_128 traces=true limits.disk_gib=0.01",
                "scale_sim topology.batch=1000000000 limits.disk_gib=1 topology.file=products.csv",
                "astra_sim limits.memory_gib=0.001 limits.disk_gib=1e-5",
                "cluster_sim cluster=pd_2_2 workload.num_requests=50 limits.memory_gib=0.001",
                "cluster_sim cluster=pd_2_2 workload.num_requests=50 +cluster.transfer.network={kind:packet}"
                        + " limits.events=10000",
                "plan limits.memory_gib=0.001");
        assertThat(output.get(0))
                .contains("about 93.1 GiB of memory", "limits.memory_gib=")
                .endsWith("exit code 2");
        assertThat(output.get(1))
                .contains("limit exceeded: workload: is expected to take up to 600 requests", "limits.events=610")
                .endsWith("exit code 2");
        assertThat(output.get(2)).endsWith("exit code 0");
        assertThat(output.get(3)).contains("reused").endsWith("exit code 0");
        assertThat(directory(output.get(3))).isEqualTo(directory(output.get(2)));
        // 8 NPUs send 1 MiB twice in frames of 1000 bytes over 2 cables.
        assertThat(output.get(4))
                .contains("astra_sim: is expected to take up to 33554 frames times links")
                .endsWith("exit code 2");
        assertThat(output.get(5))
                .contains("vidur_sim: is expected to take up to")
                .endsWith("exit code 2");
        assertThat(output.get(6)).contains("did you mean", "limits.events").endsWith("exit code 2");
        assertThat(output.get(7)).contains("limit exceeded", "#1").endsWith("exit code 1");
        assertThat(output.get(8)).doesNotContain("limits").endsWith("exit code 0");
        assertThat(output.get(9))
                .contains("scale_sim: is expected to take up to", "simulated cycles", "limits.events=")
                .endsWith("exit code 2");
        assertThat(output.get(10)).contains("on disk", "limits.disk_gib=").endsWith("exit code 2");
        assertThat(output.get(11))
                .contains("scale_sim: is expected to take about 558.8 GiB on disk")
                .endsWith("exit code 2");
        assertThat(output.get(12))
                .contains("astra_sim: is expected to take about 11 MiB of memory", "57 KiB on disk")
                .endsWith("exit code 2");
        assertThat(output.get(13))
                .contains("cluster_sim: is expected to take about", "of memory")
                .endsWith("exit code 2");
        assertThat(output.get(14))
                .contains("cluster_sim: is expected to take up to", "frames times links")
                .endsWith("exit code 2");
        assertThat(output.get(15))
                .contains("plan: is expected to take about", "of memory")
                .endsWith("exit code 2");
    }
}
