package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.ChildJava;
import java.io.BufferedReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys at the least and greatest values that are taken, and beyond: a run or one error, never a number that wraps around. */
final class GreatestValuesTest {
    private static final int MOST = 1_000_000;
    private static final Map<String, String> KEYS = Map.of(
            "scheduler=vllm", "scheduler.batch_size_cap",
            "scheduler=sarathi", "scheduler.batch_size_cap",
            "scheduler=orca", "scheduler.batch_size_cap",
            "engine=vllm_v1", "scheduler.max_num_seqs",
            "engine=sglang", "scheduler.max_running_requests");

    @TempDir
    private Path dir;

    /** Commands, and the keys that are tried with them: all numbers of a section that the page of keys bounds. */
    private static final Map<String, String> SECTIONS = Map.of(
            "vidur_sim workload.num_requests=3", "engine.step.",
            "scale_sim", "energy.",
            "astra_sim", "simulation.");

    private static final Pattern BOUNDED =
            Pattern.compile("\\| `([a-z0-9_.]+)` \\| (?:integer|number)[^|]*\\|[^|]*\\|[^|]*\\| ([^|]*) \\|.*");

    @Test
    void aBatchWithoutBoundIsServedOrRefused() throws Exception {
        List<String> lines = new ArrayList<>();
        KEYS.forEach((scheduler, key) -> {
            for (int most : new int[] {1, MOST, MOST + 1, 1_500_000_000, Integer.MAX_VALUE}) {
                lines.add("vidur_sim workload.num_requests=3 " + scheduler + " " + key + "=" + most);
            }
        });
        assertThat(ends(lines)).contains("from 1 to " + MOST);
    }

    @Test
    @Tag("long")
    void whatABoundAllowsIsCounted() throws Exception {
        List<String> lines = new ArrayList<>();
        for (String row : Files.readAllLines(Home.fromEnvironment().dir().resolve("specs/reference/config.md"))) {
            Matcher key = BOUNDED.matcher(row);
            if (key.matches()) {
                SECTIONS.forEach((command, section) -> {
                    if (key.group(1).startsWith(section)) {
                        key.group(2)
                                .replaceAll("[^0-9. ]", " ")
                                .strip()
                                .lines()
                                .flatMap(bounds -> Stream.of(bounds.split(" +")))
                                .filter(bound -> !bound.isEmpty())
                                .forEach(bound -> lines.add(command + " " + key.group(1) + "=" + bound));
                    }
                });
            }
        }
        assertThat(lines).hasSizeGreaterThan(50);
        ends(lines);
    }

    /** Runs commands, none of which ends in a bug or for want of memory; what they said. */
    private String ends(List<String> lines) throws Exception {
        List<String> command = ChildJava.command(
                CommandServer.class,
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-Dstagesim.home=" + Home.fromEnvironment().dir());
        Path err = dir.resolve("err");
        Process process = new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectError(err.toFile())
                .start();
        try (Writer to = process.outputWriter(StandardCharsets.UTF_8);
                BufferedReader from = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line : lines) {
                to.write(line.replace(' ', '\t') + "\n");
                to.flush();
                assertThat(from.readLine())
                        .as(line + ": " + Files.readString(err))
                        .isIn(CommandServer.END + 0, CommandServer.END + 2);
            }
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(err);
    }
}
