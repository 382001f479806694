package dev.stagesim.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Runs Jazzer on each harness for {@code fuzz.seconds}, in a separate process with the default heap of a run. The corpus is stored in
 * {@code target/fuzz/NAME}. {@code fuzz.only} selects harnesses (comma-separated).
 */
@EnabledIfSystemProperty(named = "fuzz.seconds", matches = "[0-9]+")
class FuzzRun {
    private static final long SECONDS = Long.getLong("fuzz.seconds", 0);
    private static final List<String> ONLY =
            List.of(System.getProperty("fuzz.only", "").split(",", -1));

    @TestFactory
    Stream<DynamicTest> findsNothing() {
        List<DynamicTest> tests = new ArrayList<>();
        for (String name : Harnesses.names()) {
            if (ONLY.contains("") || ONLY.contains(name)) {
                tests.add(DynamicTest.dynamicTest(name, () -> fuzz(name)));
            }
        }
        return tests.stream();
    }

    private static void fuzz(String name) throws IOException, InterruptedException {
        Path work = Path.of(System.getProperty("stagesim.home", "."), "target", "fuzz", name)
                .toAbsolutePath();
        Path corpus = Files.createDirectories(work.resolve("corpus"));
        File log = work.resolve("log.txt").toFile();
        Process process = new ProcessBuilder(command(name, corpus))
                .directory(work.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        try {
            boolean ended = process.waitFor(2 * SECONDS + 300, TimeUnit.SECONDS);
            assertThat(ended).as("%s has ended; see %s", name, log).isTrue();
        } finally {
            process.destroyForcibly();
        }
        String output = Files.readString(log.toPath());
        output.lines()
                .filter(line -> line.startsWith("stat::number_of_executed_units"))
                .forEach(line -> System.out.println(
                        "fuzz " + name + ": " + line.replaceAll("[^0-9]", "") + " inputs in " + SECONDS + " s"));
        assertThat(process.exitValue())
                .as(
                        "%s: %s; the input is in %s",
                        name,
                        output.lines()
                                .filter(line -> line.startsWith("== Java"))
                                .findFirst()
                                .orElse("see " + log),
                        work)
                .isZero();
    }

    private static List<String> command(String name, Path corpus) {
        return List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-Dstagesim.home="
                        + Path.of(System.getProperty("stagesim.home", ".")).toAbsolutePath(),
                "-cp",
                System.getProperty("java.class.path"),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + FuzzTarget.class.getName(),
                "--target_args=" + name,
                "--instrumentation_includes=dev.stagesim.**",
                "-max_total_time=" + SECONDS,
                "-max_len=4096",
                "-timeout=60",
                "-rss_limit_mb=4096",
                "-print_final_stats=1",
                corpus.toString(),
                Harnesses.corpus(name).toAbsolutePath().toString());
    }
}
