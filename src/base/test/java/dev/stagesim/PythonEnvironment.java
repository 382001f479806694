package dev.stagesim;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A virtual environment with packages of the Python index, below the directory {@code -Dstagesim.python=DIR}, where later tests
 * find it. A test is skipped with the reason without this property, because the packages of all tests have 8 GB, or if Python or
 * the index is not available. {@code STAGESIM_TEST_PYTHON} selects the Python, by default {@code python3}.
 */
public final class PythonEnvironment {
    private static final Optional<Path> KEPT =
            Optional.ofNullable(System.getProperty("stagesim.python")).map(Path::of);
    private static final String PYTHON =
            Optional.ofNullable(System.getenv("STAGESIM_TEST_PYTHON")).orElse("python3");
    private static final Duration TIMEOUT = Duration.ofMinutes(12);

    private final Path scratch;
    private final Path root;

    private PythonEnvironment(Path scratch, Path root) {
        this.scratch = scratch;
        this.root = root;
    }

    /** The end of a program. */
    public record Ended(int exit, String output) {}

    /** Returns true if an environment of this name was prepared in {@code -Dstagesim.python=DIR}. */
    public static boolean isPrepared(String name) {
        return KEPT.isPresent() && Files.isDirectory(KEPT.get().resolve(name).resolve("bin"));
    }

    /** Opens the environment {@code name}, or creates it and installs the packages. */
    public static PythonEnvironment open(Path scratch, String name, String... packages) {
        assumeTrue(KEPT.isPresent(), "-Dstagesim.python=DIR installs " + List.of(packages) + " there");
        PythonEnvironment environment =
                new PythonEnvironment(scratch, KEPT.orElseThrow().resolve(name));
        if (!Files.isDirectory(environment.root.resolve("bin"))) {
            Ended created = environment.run(TIMEOUT, Map.of(), PYTHON, "-m", "venv", environment.root.toString());
            assumeTrue(created.exit() == 0, PYTHON + " cannot create an environment: " + created.output());
            List<String> install =
                    new ArrayList<>(List.of("-m", "pip", "install", "--quiet", "--no-input", "--retries", "1"));
            install.addAll(List.of(packages));
            Ended installed = environment.run(TIMEOUT, Map.of(), "python", install.toArray(String[]::new));
            if (installed.exit() != 0) {
                environment.delete(); // otherwise a later test would find an environment without the packages
            }
            assumeTrue(installed.exit() == 0, "pip cannot install " + List.of(packages) + ": " + installed.output());
        }
        return environment;
    }

    private void delete() {
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the environment with another directory for its programs. */
    public PythonEnvironment in(Path directory) {
        return new PythonEnvironment(directory, root);
    }

    /** Returns the path of a program of the environment, or its name if it is not there. */
    public String program(String name) {
        Path program = root.resolve("bin").resolve(name);
        return Files.exists(program) ? program.toString() : name;
    }

    /** Runs a program of the environment in the scratch directory. The exit code is 124 after the timeout. */
    public Ended run(Duration timeout, Map<String, String> variables, String program, String... arguments) {
        List<String> command = new ArrayList<>(List.of(program(program)));
        command.addAll(List.of(arguments));
        try {
            Path out = Files.createTempFile(scratch, "python", ".txt");
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(scratch.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile());
            builder.environment().putAll(variables);
            Process process = builder.start();
            process.getOutputStream().close();
            boolean ended = process.waitFor(timeout.toSeconds(), TimeUnit.SECONDS);
            if (!ended) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
            String text = Files.readString(out);
            return new Ended(ended ? process.exitValue() : 124, text.substring(Math.max(0, text.length() - 4000)));
        } catch (IOException e) {
            return new Ended(127, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException(e));
        }
    }
}
