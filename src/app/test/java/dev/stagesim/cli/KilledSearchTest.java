package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.ChildJava;
import dev.stagesim.cli.console.Home;
import dev.stagesim.io.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A search continues after SIGKILL of its process, and its winner can be run. */
@Tag("acceptance")
final class KilledSearchTest {
    private static final List<String> SEARCH = List.of(
            "vidur_sim",
            "-m",
            "sweeper=capacity",
            "sweeper.slo=[\"ttft_p99_ms<=400\"]",
            "sweeper.seeds=[4,12]",
            "scheduler=vllm,sarathi,orca",
            "model=llama3_8b",
            "workload.num_requests=300");

    @TempDir
    private Path scratch;

    @Test
    void reusesSimulationsOfAKilledSearch() throws Exception {
        Path killed = Files.createDirectories(scratch.resolve("killed"));
        Process first = start(killed, "first", SEARCH);
        while (answers(killed) < 20) {
            assertThat(first.waitFor(2, TimeUnit.MILLISECONDS))
                    .as("ended before it could be killed")
                    .isFalse();
        }
        first.destroyForcibly().waitFor();
        assertThat(killed.resolve("tmp/sweeps")).doesNotExist();
        assertThat(start(killed, "second", SEARCH).waitFor()).isZero();
        assertThat(killed.resolve("second.err")).content().containsPattern("[0-9]{2,} of them from an earlier search");

        Path whole = Files.createDirectories(scratch.resolve("whole"));
        assertThat(start(whole, "whole", SEARCH).waitFor()).isZero();
        assertThat(whole.resolve("whole.err")).content().doesNotContain("kept from before");
        assertThat(content(killed)).isEqualTo(content(whole)).hasSizeGreaterThan(4);

        String best = Files.readString(killed.resolve("second.out")).strip();
        assertThat(start(killed, "run", List.of("vidur_sim", "--json", "--config-snapshot", best))
                        .waitFor())
                .isZero();
        double ttft = Json.parse(Files.readString(killed.resolve("run.out")), "run")
                .get("headlines")
                .get("ttft_p99_ms")
                .asDouble();
        assertThat(simulations(killed))
                .as("the run has the metrics of the search")
                .contains(Double.toString(ttft));
    }

    private static String simulations(Path dir) throws IOException {
        return content(dir).get("simulations.csv");
    }

    private static long answers(Path dir) throws IOException {
        Path folder = dir.resolve("tmp/.cache/searches");
        if (!Files.isDirectory(folder)) {
            return 0;
        }
        long lines = 0;
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                lines += Files.readString(file).lines().count();
            }
        }
        return lines;
    }

    private static Process start(Path dir, String name, List<String> words) throws IOException {
        List<String> command = ChildJava.command(
                Main.class, "-Dstagesim.home=" + Home.fromEnvironment().dir());
        command.addAll(words);
        return new ProcessBuilder(new ArrayList<>(command))
                .directory(dir.toFile())
                .redirectOutput(dir.resolve(name + ".out").toFile())
                .redirectError(dir.resolve(name + ".err").toFile())
                .start();
    }

    /** Returns the files of the only search. */
    private static Map<String, String> content(Path dir) throws IOException {
        Map<String, String> content = new TreeMap<>();
        try (Stream<Path> all = Files.walk(dir.resolve("tmp/sweeps"))) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String name = dir.resolve("tmp/sweeps").relativize(file).toString();
                content.put(name.substring(name.indexOf('/') + 1), Files.readString(file));
            }
        }
        return content;
    }
}
