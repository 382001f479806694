package dev.stagesim.sweep;

import dev.stagesim.ChildJava;
import dev.stagesim.cli.Main;
import dev.stagesim.pipeline.store.Digests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** An installation of this test's classes with a {@code stage} launcher like the real one, and its processes. */
final class Installed implements AutoCloseable {
    private static final Path REAL =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath().normalize();

    private final Path home;
    private final List<Process> started = new ArrayList<>();
    private final Map<String, String> environment = new TreeMap<>();

    /** Creates an installation in a new directory. */
    Installed(Path home) throws IOException {
        this.home = Files.createDirectories(home);
        try (Stream<Path> all = Files.list(REAL)) {
            for (Path path : all.toList()) {
                String name = path.getFileName().toString();
                if (!name.startsWith(".") && !List.of("stage", "tmp", "target").contains(name)) {
                    Files.createSymbolicLink(home.resolve(name), path);
                }
            }
        }
        List<String> command = ChildJava.command(Main.class, "-Dstagesim.home=" + home, "-XX:TieredStopAtLevel=1");
        StringBuilder script = new StringBuilder("#!/usr/bin/env bash\nexec");
        command.forEach(word -> script.append(" '").append(word).append('\''));
        Files.writeString(program(), script.append(" \"$@\"\n"));
        Files.setPosixFilePermissions(program(), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    Path home() {
        return home;
    }

    Path program() {
        return home.resolve("stage");
    }

    void environment(String name, String value) {
        environment.put(name, value);
    }

    /** Starts the product in a directory. Its output goes to {@code <name>.out} and {@code <name>.err} there. */
    Process stage(Path dir, String name, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(program().toString()));
        command.addAll(List.of(words));
        return start(dir, name, command);
    }

    Process start(Path dir, String name, List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectOutput(dir.resolve(name + ".out").toFile())
                .redirectError(dir.resolve(name + ".err").toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        started.add(process);
        return process;
    }

    /** Kills a process and its descendants. */
    static void kill(Process process) throws InterruptedException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
    }

    /** Returns the output of a process so far, or an empty text if it has not started. */
    static String output(Path file) {
        try {
            return Files.isRegularFile(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            return e.toString();
        }
    }

    /**
     * Returns digests of all artifacts and tables below a working directory by name, without volatile values and paths
     * of jobs.
     */
    static Map<String, String> content(Path dir) throws IOException {
        Map<String, String> content = new TreeMap<>();
        Path tmp = dir.resolve("tmp");
        try (Stream<Path> all = Files.walk(tmp)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String name = tmp.relativize(file).toString();
                boolean counts = !name.startsWith(".")
                        && !name.contains("/config/")
                        && !name.contains("/shards/")
                        && !name.contains("/.")
                        && !name.endsWith("invocation.json")
                        && !name.endsWith("run_meta.json");
                if (counts) {
                    content.put(name, Digests.sha256(Files.readString(file)));
                }
            }
        }
        return content;
    }

    /** Returns the number of finished runs of a stage. */
    static long runs(Path dir, String stage) throws IOException {
        Path folder = dir.resolve("tmp").resolve(stage);
        if (!Files.isDirectory(folder)) {
            return 0;
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(run -> !run.getFileName().toString().startsWith("."))
                    .count();
        }
    }

    /** Kills all processes and removes the links to the real installation. */
    @Override
    public void close() throws InterruptedException, IOException {
        for (Process process : started) {
            kill(process);
        }
        try (Stream<Path> all = Files.list(home)) {
            for (Path link : all.filter(Files::isSymbolicLink).toList()) {
                Files.delete(link);
            }
        }
    }
}
