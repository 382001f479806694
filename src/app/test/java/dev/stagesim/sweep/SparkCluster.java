package dev.stagesim.sweep;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.bench.engine.EngineStore;
import dev.stagesim.bench.engine.Engines;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A Spark standalone cluster on the loopback interface, with the Spark classes of the product. */
final class SparkCluster {
    private static final Pattern MASTER = Pattern.compile("Starting Spark master at (spark://\\S+)");

    private final Installed stage;
    private final Path dir;
    private final String jars;

    private SparkCluster(Installed stage, Path dir, String jars) {
        this.stage = stage;
        this.dir = dir;
        this.jars = jars;
    }

    /** Creates the cluster, or skips the test if Spark is not installed and cannot be. */
    static SparkCluster of(Installed stage, Path dir) throws Exception {
        Files.createDirectories(dir);
        int exit = stage.stage(dir, "install", "engines", "install", "spark").waitFor();
        assumeTrue(exit == 0, () -> "Spark cannot be installed here: " + Installed.output(dir.resolve("install.err")));
        List<Path> jars = EngineStore.of(stage.home()).jars(Engines.find("spark"));
        Files.createSymbolicLink(dir.resolve("jars"), jars.get(0).getParent());
        stage.environment("SPARK_HOME", dir.toString());
        stage.environment("SPARK_SCALA_VERSION", "2.13");
        stage.environment("SPARK_LOCAL_IP", "127.0.0.1");
        return new SparkCluster(
                stage, dir, jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
    }

    private List<String> java(String main) {
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-modules=jdk.incubator.vector",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
                "--add-opens=java.base/java.net=ALL-UNNAMED",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "--add-opens=java.base/java.util=ALL-UNNAMED",
                "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
                "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                "-cp",
                jars,
                "org.apache.spark.deploy." + main));
    }

    private Process daemon(String name, String main, String... words) throws IOException {
        List<String> command = java(main);
        command.addAll(List.of("--host", "127.0.0.1", "--webui-port", "0"));
        command.addAll(List.of(words));
        return stage.start(dir, name, command);
    }

    /** Starts a master and returns its address. */
    String master() throws Exception {
        Process process = daemon("master", "master.Master", "--port", "0");
        Path log = dir.resolve("master.err");
        for (Matcher printed = MASTER.matcher(Installed.output(log));
                process.isAlive();
                printed = MASTER.matcher(Installed.output(log))) {
            if (printed.find()) {
                return printed.group(1);
            }
            Thread.sleep(50);
        }
        throw new AssertionError("no master: " + Installed.output(log));
    }

    /** Starts a worker of one core. */
    Process worker(String master, String name) throws IOException {
        String work = dir.resolve(name).toString();
        return daemon(name, "worker.Worker", "--cores", "1", "--memory", "1g", "--work-dir", work, master);
    }

    /** Returns a script that runs Spark's {@code spark-submit}. */
    Path submit() throws IOException {
        Path script = Files.createDirectories(dir.resolve("bin")).resolve("spark-submit");
        StringBuilder text = new StringBuilder("#!/usr/bin/env bash\nexec");
        java("SparkSubmit").forEach(word -> text.append(" '").append(word).append('\''));
        Files.writeString(script, text.append(" \"$@\"\n"));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        return script;
    }
}
