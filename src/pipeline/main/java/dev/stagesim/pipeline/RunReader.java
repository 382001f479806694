package dev.stagesim.pipeline;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.digest.Sha256;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.store.Digests;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.pipeline.store.RunMetaJson;
import dev.stagesim.pipeline.store.RunRef;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads finished runs and verifies their outputs. A verified run is read again only after its files change. */
final class RunReader {
    private static final int MAX_CACHED_BYTES = 1 << 18;

    /** A run, and the state of its files when it was verified. */
    private record Checked(String state, RunRef run) {}

    private final Map<Path, Checked> checked = new ConcurrentHashMap<>();
    private final Map<String, String> files = new ConcurrentHashMap<>();
    private volatile @Nullable Content lastContent;

    /** Bytes of a file and their digest. The array must not be modified. */
    private record Content(byte[] bytes, String sha256) {}

    /** True if the directory looks finished: it contains {@code run_meta.json}. */
    static boolean looksFinished(Path dir) {
        return Files.isRegularFile(dir.resolve(RunMetaJson.FILE));
    }

    /** Returns the metadata of a run without verifying its outputs. */
    static RunMeta meta(Path dir) throws IOException {
        return RunMetaJson.read(dir.resolve(RunMetaJson.FILE));
    }

    /**
     * Reads a run and compares every output with its digest.
     *
     * @param where the key or path for messages, for example {@code workload.dir}
     * @throws StageException (input) with every problem
     */
    RunRef readVerified(Path dir, String where) throws IOException {
        Path key = dir.toAbsolutePath().normalize();
        refuseUnfinished(dir, where);
        FilesBelow found = FilesBelow.of(dir);
        Checked cached = checked.get(key);
        if (cached != null && cached.state().equals(found.state())) {
            return cached.run();
        }
        RunMeta meta = meta(dir);
        refuseForeignNames(dir.resolve(RunMetaJson.FILE), meta);
        List<Problem> problems = new ArrayList<>();
        for (RunMeta.Output output : meta.outputs()) {
            Path file = dir.resolve(output.path());
            Long size = found.sizes().get(file);
            if (size == null && !Files.isRegularFile(file)) {
                problems.add(problem(file.toString(), "is missing, but " + RunMetaJson.FILE + " lists it"));
            } else if (!sha256(file, size == null ? Files.size(file) : size).equals(output.sha256())) {
                problems.add(problem(file.toString(), "was changed after the run was finished")
                        .hint("repeat the run with --force, or restore the file"));
            }
        }
        StageException.refuse(problems);
        RunRef run = new RunRef(dir, meta, RunMetaJson.digest(meta), true);
        checked.put(key, new Checked(found.state(), run));
        return run;
    }

    /** Throws if a name does not have the form that the pipeline generates, because names become parts of paths. */
    private static void refuseForeignNames(Path file, RunMeta meta) {
        List<Problem> problems = new ArrayList<>();
        if (!RunIdentity.stage(meta.runId()).equals(Optional.of(meta.runType()))) {
            problems.add(problem(file.toString(), "run_id '" + meta.runId() + "' is not a run id")
                    .note("expected", "run_type, here '" + meta.runType() + "', a dash and 10 to 64 hex digits"));
        }
        for (RunMeta.Input input : meta.inputs()) {
            input.runId()
                    .filter(id -> RunIdentity.stage(id).isEmpty())
                    .ifPresent(id ->
                            problems.add(problem(file.toString(), "inputs name '" + id + "', which is not a run id")));
        }
        for (RunMeta.Output output : meta.outputs()) {
            if (!isBelow(output.path(), file)) {
                problems.add(
                        problem(file.toString(), "output '" + output.path() + "' is not below the run's directory"));
            }
        }
        StageException.refuse(problems);
    }

    private static boolean isBelow(String name, Path file) {
        try {
            Path path = file.getFileSystem().getPath(name);
            return !name.isEmpty()
                    && !path.isAbsolute()
                    && path.normalize().equals(path)
                    && !path.startsWith("..")
                    && !name.equals(RunMetaJson.FILE);
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /** Caches a run that this process has just written. */
    void remember(RunRef run) throws IOException {
        checked.put(
                run.dir().toAbsolutePath().normalize(),
                new Checked(FilesBelow.of(run.dir()).state(), run.reusedAgain()));
    }

    /**
     * Returns the digest of a file or directory that a stage reads. Computed once per file state.
     *
     * @throws StageException (input) if it does not exist
     */
    String digest(Path file) throws IOException {
        BasicFileAttributes attributes = attributes(file);
        String state = attributes.isDirectory() ? FilesBelow.of(file).state() : stamp(file, attributes);
        String cached = files.get(state);
        if (cached == null) {
            cached = attributes.isRegularFile()
                    ? sha256(file, attributes.size())
                    : Digests.sha256(attributes.isDirectory() ? file : InputFile.regular(file));
            files.put(state, cached);
        }
        return cached;
    }

    /**
     * Returns the digest of a file. Traces often consist of thousands of equal small files, so equal content is hashed
     * once.
     */
    private String sha256(Path file, long size) throws IOException {
        if (size > MAX_CACHED_BYTES) {
            return Digests.sha256(InputFile.regular(file));
        }
        byte[] bytes;
        try (InputStream in = InputFile.raw(file)) {
            bytes = in.readAllBytes();
        }
        Content last = lastContent;
        if (last == null || !Arrays.equals(last.bytes(), bytes)) {
            Sha256 digest = new Sha256();
            digest.update(bytes);
            last = new Content(bytes, digest.hex());
            lastContent = last;
        }
        return last.sha256();
    }

    /**
     * Returns the digests of many files or directories, in their order.
     *
     * @throws StageException (input) if one does not exist
     */
    List<String> digests(List<Path> all) throws IOException {
        return Unchecked.parallel(all, this::digest);
    }

    /**
     * The files below a directory. Runs of large networks have thousands of files.
     *
     * @param sizes bytes per file
     * @param state names, sizes and times of all files
     */
    private record FilesBelow(Map<Path, Long> sizes, String state) {
        static FilesBelow of(Path dir) throws IOException {
            Map<Path, Long> sizes = new HashMap<>();
            List<String> states = new ArrayList<>();
            Files.walkFileTree(dir, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes found) throws IOException {
                    BasicFileAttributes attributes =
                            found.isSymbolicLink() && Files.isRegularFile(file) ? attributes(file) : found;
                    if (!attributes.isSymbolicLink()) {
                        states.add(stamp(file, attributes));
                    }
                    if (attributes.isRegularFile()) {
                        sizes.put(file, attributes.size());
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
            Collections.sort(states);
            return new FilesBelow(sizes, dir.toAbsolutePath() + "\0" + String.join("\0", states));
        }
    }

    private static String stamp(Path file, BasicFileAttributes attributes) {
        return file.toAbsolutePath() + "\0" + attributes.size() + "\0"
                + attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS);
    }

    private static BasicFileAttributes attributes(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class);
        } catch (NoSuchFileException gone) {
            throw StageException.input(problem(file.toString(), "does not exist"), gone);
        }
    }

    /** Throws if a file or directory that a stage reads does not exist. */
    static void refuseMissing(Path file) {
        if (!Files.exists(file)) {
            throw StageException.input(problem(file.toString(), "does not exist"));
        }
    }

    private static void refuseUnfinished(Path dir, String where) {
        if (looksFinished(dir)) {
            return;
        }
        Problem problem;
        if (!Files.exists(dir)) {
            problem = problem(where, dir + " does not exist");
        } else if (!Files.isDirectory(dir)) {
            problem = problem(where, dir + " is a file, expected the directory of a finished run");
        } else {
            problem = problem(where, dir + " is not a finished run: it has no " + RunMetaJson.FILE);
        }
        throw StageException.input(problem.hint("give a directory that a stage printed; ./stage runs list shows them"));
    }

    private static Problem problem(String where, String what) {
        return Problem.artifact(where, what);
    }
}
