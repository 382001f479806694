package dev.stagesim.bench.engine;

import dev.stagesim.io.digest.Sha256;
import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The directories of installed engines: {@code lib/engines/<name>/<version>} of the installation, or the user's cache if the
 * installation is not writable.
 *
 * @param roots directories that may contain engines; new ones are installed in the first writable directory
 * @param user the user's {@code .m2} directory
 */
public record EngineStore(List<Path> roots, Path user) {
    private static final String CATEGORY = "engine error";
    private static final int BUFFER = 1 << 16;

    public EngineStore {
        roots = List.copyOf(roots);
    }

    /** Returns the store of an installation and of this user. */
    public static EngineStore of(Path home) {
        Path userHome = Path.of(System.getProperty("user.home", "."));
        String cache = System.getenv("XDG_CACHE_HOME");
        Path shared = cache == null || cache.isBlank() ? userHome.resolve(".cache") : Path.of(cache);
        return new EngineStore(
                List.of(
                        home.resolve("lib").resolve("engines"),
                        shared.resolve("stagesim").resolve("engines")),
                userHome.resolve(".m2"));
    }

    /** Receives the progress of an installation. */
    @FunctionalInterface
    public interface Listener {
        void have(Artifact artifact, long bytes);
    }

    /** Returns the directory of a completely installed engine. */
    public Optional<Path> installed(Engine engine) {
        return roots.stream()
                .map(root -> folder(root, engine))
                .filter(folder -> isComplete(engine, folder))
                .findFirst();
    }

    /**
     * Returns the jars of an engine in class-path order.
     *
     * @throws StageException (input) naming the command that installs it
     */
    public List<Path> jars(Engine engine) {
        Path folder = installed(engine)
                .orElseThrow(
                        () -> StageException.input(Problem.of(CATEGORY, engine.name(), "the engine is not installed")
                                .hint("stage engines install " + engine.name())));
        return engine.artifacts().stream()
                .map(artifact -> folder.resolve(artifact.file()))
                .toList();
    }

    private static Path folder(Path root, Engine engine) {
        return root.resolve(engine.name()).resolve(engine.version());
    }

    private static boolean isComplete(Engine engine, Path folder) {
        return engine.artifacts().stream().allMatch(artifact -> hasSize(folder.resolve(artifact.file()), artifact));
    }

    /** Compares sizes only, because a file gets its final name after its digest has been verified. */
    private static boolean hasSize(Path file, Artifact artifact) {
        try {
            return Files.isRegularFile(file) && Files.size(file) == artifact.bytes();
        } catch (IOException unreadable) {
            return false;
        }
    }

    /**
     * Downloads the missing files of an engine. Resumes an earlier attempt.
     *
     * @param repository address or directory of the repository, or empty for the default ones
     * @return the directory of the engine
     * @throws StageException (input) if the engine does not support this platform; (failed) if a file cannot be downloaded or has another digest
     */
    public Path install(Engine engine, Optional<String> repository, Listener listener) throws IOException {
        if (!engine.runsHere()) {
            throw StageException.input(Problem.of(
                    CATEGORY, engine.name(), "runs on " + engine.platform() + " only, this is " + Engine.here()));
        }
        Path folder = folder(writable(), engine);
        Files.createDirectories(folder);
        List<EngineRepository> sources = Sources.of(repository, user);
        for (Artifact artifact : engine.artifacts()) {
            Path file = folder.resolve(artifact.file());
            if (!hasSize(file, artifact)) {
                get(artifact, file, sources, listener);
            }
        }
        return folder;
    }

    private Path writable() throws IOException {
        IOException last = new IOException("there is no directory for engines");
        for (Path root : roots) {
            try {
                Files.createDirectories(root);
                if (Files.isWritable(root)) {
                    return root;
                }
                last = new IOException(root + " is not writable");
            } catch (IOException refused) {
                last = refused;
            }
        }
        throw last;
    }

    private static void get(Artifact artifact, Path file, List<EngineRepository> sources, Listener listener)
            throws IOException {
        Path part = file.resolveSibling(artifact.file() + ".part");
        List<String> tried = new ArrayList<>();
        for (EngineRepository source : sources) {
            try {
                source.fetch(artifact.path(), part, bytes -> listener.have(artifact, bytes));
                String found = digest(part);
                if (found.equals(artifact.sha256())) {
                    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                    return;
                }
                if (Files.size(part) >= artifact.bytes()) {
                    Files.delete(part);
                    tried.add(source.location() + ": its SHA-256 is " + found + ", not " + artifact.sha256());
                } else {
                    tried.add(source.location() + ": the connection ended early; the next attempt resumes from there");
                }
            } catch (IOException unreachable) {
                tried.add(source.location() + ": " + reason(unreachable));
            }
        }
        Problem problem = Problem.of(CATEGORY, artifact.file(), "cannot be downloaded");
        for (String attempt : tried) {
            problem = problem.note("tried", attempt);
        }
        throw StageException.failed(
                problem.hint("without a network: copy a Maven repository that contains the file and use"
                        + " --repository DIRECTORY; with a mirror: --repository URL, or "
                        + Sources.VARIABLE));
    }

    private static String digest(Path file) throws IOException {
        Sha256 digest = new Sha256();
        byte[] buffer = new byte[BUFFER];
        try (InputStream in = InputFile.raw(file)) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                digest.update(buffer, 0, n);
            }
        }
        return digest.hex();
    }

    private static String reason(IOException failure) {
        String message = failure.getMessage();
        return failure instanceof NoSuchFileException
                ? "the file does not exist"
                : failure.getClass().getSimpleName() + (message == null ? "" : ", " + message);
    }

    /**
     * Deletes an engine, also a partially installed one.
     *
     * @return true if anything was deleted
     */
    public boolean remove(Engine engine) throws IOException {
        boolean isAny = false;
        for (Path root : roots) {
            Path folder = root.resolve(engine.name());
            if (!Files.isDirectory(folder)) {
                continue;
            }
            isAny = true;
            Directories.delete(folder);
        }
        return isAny;
    }
}
