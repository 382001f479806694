package dev.stagesim.io.astra;

import dev.stagesim.io.chakra.TraceRanks;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Trace files of ranks with a common prefix: {@code <prefix>.<rank>.et} (or {@code .eg}, the name until 2023). Each
 * rank has a file, or ranks share files as listed by {@link TraceRanks}.
 */
public final class RankFiles {
    /** Suffix of trace names until 2023. */
    static final String OLD_ENDING = ".eg";

    private static final String ENDING = ".et";
    private static final int MAX_LISTED = 5;
    private static final int MAX_CHECKED = 1 << 20;

    private final Path prefix;
    private final String ending;
    private final Optional<TraceRanks> shared;

    private RankFiles(Path prefix, String ending, Optional<TraceRanks> shared) {
        this.prefix = prefix;
        this.ending = ending;
        this.shared = shared;
    }

    /** Detects the naming and whether ranks share files. Old names are used only if no new ones exist. */
    public static RankFiles of(Path prefix) throws IOException {
        boolean isOld = !Files.exists(file(prefix, 0)) && Files.isRegularFile(file(prefix, 0, OLD_ENDING));
        return new RankFiles(
                prefix,
                isOld ? OLD_ENDING : ENDING,
                TraceRanks.of(prefix.resolveSibling(""), prefix.getFileName() + "."));
    }

    /** The file of a rank with an individual file. */
    public static Path file(Path prefix, int rank) {
        return file(prefix, rank, ENDING);
    }

    private static Path file(Path prefix, int rank, String ending) {
        return prefix.resolveSibling(prefix.getFileName() + "." + rank + ending);
    }

    boolean isShared() {
        return shared.isPresent();
    }

    /** Number of traces from rank 0, if not shared; at least {@code minimum} of them exist. */
    public int count(int minimum) {
        if (shared.isPresent()) {
            return shared.get().size();
        }
        int count = minimum;
        while (Files.exists(file(prefix, count, ending))) {
            count++;
        }
        return count;
    }

    /** Files of ranks 0 to {@code npus} exclusive, without repetition. */
    public List<Path> inputs(int npus) {
        List<Path> files = files(npus);
        return shared.isEmpty()
                ? files
                : Stream.concat(Stream.of(shared.get().table()), files.stream().distinct())
                        .toList();
    }

    /** File of each rank from 0 to {@code npus} exclusive; with sharing, the lowest rank's file. */
    List<Path> files(int npus) {
        if (shared.isPresent()) {
            if (shared.get().size() < npus) {
                throw tooFew(shared.get().table(), shared.get().size(), npus);
            }
            return shared.get().subList(0, npus);
        }
        if (npus > MAX_CHECKED && !Files.isRegularFile(file(prefix, npus - 1, ending))) {
            throw tooFew(file(prefix, npus - 1, ending), count(0), npus);
        }
        List<Path> files = IntStream.range(0, npus)
                .mapToObj(rank -> file(prefix, rank, ending))
                .toList();
        // A missing file in between is detected when it is read.
        if (!Files.isRegularFile(files.get(0)) || !Files.isRegularFile(files.get(npus - 1))) {
            refuseMissing(files);
        }
        return files;
    }

    private static StageException tooFew(Path where, int there, int npus) {
        return StageException.input(
                Problem.trace(where.toString(), "there are traces for " + there + " NPUs, but the network has " + npus)
                        .hint("give the network as many NPUs as there are traces, or make traces for all"));
    }

    private void refuseMissing(List<Path> files) {
        List<Path> missing =
                files.stream().filter(file -> !Files.isRegularFile(file)).toList();
        if (missing.isEmpty()) {
            return;
        }
        int there = files.size() - missing.size();
        if (there == 0) {
            refuseFile();
        }
        if (there > 0 && missing.get(0).equals(files.get(there))) {
            throw tooFew(missing.get(0), there, files.size());
        }
        List<Problem> problems = new ArrayList<>();
        for (Path file : missing.subList(0, Math.min(MAX_LISTED, missing.size()))) {
            problems.add(Problem.trace(file.toString(), "the trace does not exist"));
        }
        int more = missing.size() - problems.size();
        int last = problems.size() - 1;
        String all = missing.size() + " of " + files.size() + " traces are missing";
        problems.set(last, problems.get(last).hint(more > 0 ? all : "every NPU of the network needs a trace"));
        throw StageException.input(problems);
    }

    /** Explains what a prefix is when the name of a file was given. */
    private void refuseFile() {
        if (!Files.isRegularFile(prefix)) {
            return;
        }
        String name = String.valueOf(prefix.getFileName());
        String meant = name.replaceFirst("(\\.\\d+)?\\.(et|eg)$", "");
        throw StageException.input(Problem.trace(
                        prefix.toString(), "this is a file, expected the common prefix of the names of the traces")
                .hint("the trace of NPU i is <prefix>.<i>.et"
                        + (meant.equals(name) ? "" : "; here the prefix is " + prefix.resolveSibling(meant))));
    }
}
