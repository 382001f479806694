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
 * The files of ranks whose names begin with a prefix: {@code <prefix>.<rank>.et}, or {@code .eg} as they were named until
 * 2023, one for each rank or shared as {@link TraceRanks} lists them.
 */
public final class RankFiles {
    /** How the names of traces ended until 2023. */
    static final String OLD_ENDING = ".eg";

    private static final String ENDING = ".et";
    private static final int MOST_NAMED = 5;
    private static final int MOST_LISTED = 1 << 20;

    private final Path prefix;
    private final String ending;
    private final Optional<TraceRanks> shared;

    private RankFiles(Path prefix, String ending, Optional<TraceRanks> shared) {
        this.prefix = prefix;
        this.ending = ending;
        this.shared = shared;
    }

    /** Finds out how the files are named and whether ranks share them; where there are only old ones, those are meant. */
    public static RankFiles of(Path prefix) throws IOException {
        boolean isOld = !Files.exists(file(prefix, 0)) && Files.isRegularFile(file(prefix, 0, OLD_ENDING));
        return new RankFiles(
                prefix,
                isOld ? OLD_ENDING : ENDING,
                TraceRanks.of(prefix.resolveSibling(""), prefix.getFileName() + "."));
    }

    /** The file of a rank that has its own. */
    public static Path file(Path prefix, int rank) {
        return file(prefix, rank, ENDING);
    }

    private static Path file(Path prefix, int rank, String ending) {
        return prefix.resolveSibling(prefix.getFileName() + "." + rank + ending);
    }

    boolean isShared() {
        return shared.isPresent();
    }

    /** How many traces there are, counted from rank 0 on and from {@code least} that are known to be, if not shared. */
    public int count(int least) {
        if (shared.isPresent()) {
            return shared.get().size();
        }
        int count = least;
        while (Files.exists(file(prefix, count, ending))) {
            count++;
        }
        return count;
    }

    /** What ranks 0 to {@code npus} exclusive are read from, each file once. */
    public List<Path> inputs(int npus) {
        List<Path> files = files(npus);
        return shared.isEmpty()
                ? files
                : Stream.concat(Stream.of(shared.get().table()), files.stream().distinct())
                        .toList();
    }

    /** The files of ranks 0 to {@code npus} exclusive, one of several ranks for each of them. */
    List<Path> files(int npus) {
        if (shared.isPresent()) {
            if (shared.get().size() < npus) {
                throw tooFew(shared.get().table(), shared.get().size(), npus);
            }
            return shared.get().subList(0, npus);
        }
        if (npus > MOST_LISTED && !Files.isRegularFile(file(prefix, npus - 1, ending))) {
            throw tooFew(file(prefix, npus - 1, ending), count(0), npus);
        }
        List<Path> files = IntStream.range(0, npus)
                .mapToObj(rank -> file(prefix, rank, ending))
                .toList();
        // One that is missing in between is found when it is read.
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
        for (Path file : missing.subList(0, Math.min(MOST_NAMED, missing.size()))) {
            problems.add(Problem.trace(file.toString(), "the trace does not exist"));
        }
        int more = missing.size() - problems.size();
        int last = problems.size() - 1;
        String all = missing.size() + " of " + files.size() + " traces are missing";
        problems.set(last, problems.get(last).hint(more > 0 ? all : "every NPU of the network needs a trace"));
        throw StageException.input(problems);
    }

    /** Says what a prefix is where the name of a file was given. */
    private void refuseFile() {
        if (!Files.isRegularFile(prefix)) {
            return;
        }
        String name = String.valueOf(prefix.getFileName());
        String meant = name.replaceFirst("(\\.\\d+)?\\.(et|eg)$", "");
        throw StageException.input(
                Problem.trace(prefix.toString(), "this is a file, expected what the names of the traces begin with")
                        .hint("the trace of NPU i is <prefix>.<i>.et"
                                + (meant.equals(name) ? "" : "; here the prefix is " + prefix.resolveSibling(meant))));
    }
}
