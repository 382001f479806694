package dev.stagesim.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.ChildJava;
import dev.stagesim.bench.engine.EngineStore;
import dev.stagesim.bench.engine.Engines;
import dev.stagesim.cli.Main;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sweep on a standalone cluster of Spark on this machine that loses a worker, and then its client. */
@Tag("long")
class SparkClusterTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath().normalize();
    private static final int JOBS = Integer.getInteger("stagesim.sweep.jobs", 300);
    private static final Pattern MASTER = Pattern.compile("Starting Spark master at (spark://\\S+)");

    @TempDir
    Path scratch;

    private final List<Process> started = new ArrayList<>();
    private List<Path> jars = List.of();

    @BeforeEach
    void install() throws Exception {
        int exit = stage(scratch, "install", "engines", "install", "spark").waitFor();
        assumeTrue(exit == 0, () -> "Spark cannot be installed here: " + read(scratch.resolve("install.err")));
        jars = EngineStore.of(HOME).jars(Engines.find("spark"));
        Path sparkHome = Files.createDirectories(scratch.resolve("spark"));
        Files.createSymbolicLink(sparkHome.resolve("jars"), jars.get(0).getParent());
    }

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : started) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void aSweepOutlivesAWorkerAndItsClient() throws Exception {
        Path away = Files.createDirectories(scratch.resolve("away"));
        String master = master();
        Process lost = worker(master, "one");
        worker(master, "two");
        String[] sweep = {
            "workload",
            "-m",
            "workload.seed=range(0," + JOBS + ")",
            "workload.num_requests=5",
            "launcher=spark",
            "launcher.master=" + master,
            "launcher.conf=[spark.executor.memory=512m]"
        };
        Process client = stage(away, "first", sweep);
        await(client, away, 20);
        lost.descendants().forEach(ProcessHandle::destroyForcibly);
        lost.destroyForcibly().waitFor();
        await(client, away, 120);
        client.descendants().forEach(ProcessHandle::destroyForcibly);
        client.destroyForcibly().waitFor();
        assertThat(runs(away)).isBetween(120L, JOBS - 1L);

        Process again = stage(away, "second", sweep);
        assertThat(again.waitFor()).as(read(away.resolve("second.err"))).isZero();
        assertThat(Files.readAllLines(away.resolve("second.out"))).hasSize(JOBS).doesNotHaveDuplicates();

        Path here = Files.createDirectories(scratch.resolve("here"));
        Process local = stage(here, "local", Arrays.copyOf(sweep, 4));
        assertThat(local.waitFor()).as(read(here.resolve("local.err"))).isZero();
        assertThat(here.resolve("local.out")).hasSameBinaryContentAs(away.resolve("second.out"));
        Path tables = folder(here.resolve("tmp/sweeps"));
        for (String table : List.of("jobs.csv", "results.csv", "sweep.json")) {
            assertThat(folder(away.resolve("tmp/sweeps")).resolve(table)).hasSameBinaryContentAs(tables.resolve(table));
        }
    }

    private Process stage(Path dir, String name, String... words) throws IOException {
        List<String> command = ChildJava.command(Main.class, "-Dstagesim.home=" + HOME, "-XX:TieredStopAtLevel=1");
        command.addAll(List.of(words));
        return start(dir, name, command);
    }

    private Process start(Path dir, String name, List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectOutput(dir.resolve(name + ".out").toFile())
                .redirectError(dir.resolve(name + ".err").toFile());
        builder.environment().put("SPARK_HOME", scratch.resolve("spark").toString());
        builder.environment().put("SPARK_SCALA_VERSION", "2.13");
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private String master() throws Exception {
        Process process = spark("master", "master.Master", "--port", "0", "--webui-port", "0");
        Path log = scratch.resolve("master.err");
        for (Matcher said = MASTER.matcher(read(log)); process.isAlive(); said = MASTER.matcher(read(log))) {
            if (said.find()) {
                return said.group(1);
            }
            Thread.sleep(50);
        }
        throw new AssertionError("no master: " + read(log));
    }

    private Process worker(String master, String name) throws IOException {
        String dir = scratch.resolve(name).toString();
        return spark(
                name,
                "worker.Worker",
                "--cores",
                "1",
                "--memory",
                "1g",
                "--webui-port",
                "0",
                "--work-dir",
                dir,
                master);
    }

    private Process spark(String name, String main, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "--add-opens=java.base/java.util=ALL-UNNAMED",
                "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                "-cp",
                jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
                "org.apache.spark.deploy." + main,
                "--host",
                "127.0.0.1"));
        command.addAll(List.of(words));
        return start(scratch, name, command);
    }

    private static void await(Process client, Path dir, int runs) throws Exception {
        while (runs(dir) < runs) {
            assertThat(client.waitFor(50, TimeUnit.MILLISECONDS))
                    .as(read(dir.resolve("first.err")))
                    .isFalse();
        }
    }

    private static long runs(Path dir) throws IOException {
        Path folder = dir.resolve("tmp/workload");
        if (!Files.isDirectory(folder)) {
            return 0;
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(run -> !run.getFileName().toString().startsWith("."))
                    .count();
        }
    }

    private static Path folder(Path parent) throws IOException {
        try (Stream<Path> all = Files.list(parent)) {
            return all.filter(Files::isDirectory).findFirst().orElseThrow();
        }
    }

    private static String read(Path file) {
        try {
            return Files.isRegularFile(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            return e.toString();
        }
    }
}
