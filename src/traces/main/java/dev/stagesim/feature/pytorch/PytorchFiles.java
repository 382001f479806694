package dev.stagesim.feature.pytorch;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.ShippedFiles;
import dev.stagesim.traces.PytorchWorkload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Files of a recorded PyTorch run.
 *
 * @param ranks files per process, by rank
 * @param syncTable synchronisations to use, if given
 */
record PytorchFiles(List<Rank> ranks, Optional<Path> syncTable) {
    private static final String STAR = "*";

    /** Files of one process. */
    record Rank(int rank, Path host, Optional<Path> device) {}

    static boolean isPattern(Path file) {
        return file.toString().contains(STAR);
    }

    /**
     * Finds the files.
     *
     * @throws StageException of kind input if no file matches or one is missing
     */
    static PytorchFiles of(PytorchWorkload settings, Path home) {
        List<Rank> ranks = new ArrayList<>();
        if (!isPattern(settings.host())) {
            ranks.add(new Rank(
                    settings.rank().orElse(0),
                    ShippedFiles.file(settings.host(), home),
                    settings.device().map(file -> ShippedFiles.file(file, home))));
        } else {
            int count = settings.numNpus().orElseGet(() -> count(settings.host(), home));
            for (int rank = 0; rank < count; rank++) {
                int each = rank;
                ranks.add(new Rank(
                        rank,
                        named(settings.host(), rank, home),
                        settings.device().map(file -> named(file, each, home))));
            }
        }
        return new PytorchFiles(ranks, settings.syncTable().map(file -> ShippedFiles.file(file, home)));
    }

    private static Path named(Path pattern, int rank, Path home) {
        String name = pattern.toString().replace(STAR, Integer.toString(rank));
        return ShippedFiles.file(pattern.getFileSystem().getPath(name), home);
    }

    private static int count(Path pattern, Path home) {
        int count = 0;
        while (Files.exists(named(pattern, count, home))) {
            count++;
        }
        if (count == 0) {
            throw StageException.input(Problem.config("workload.host", "there is no file " + named(pattern, 0, home))
                    .hint("the * matches the rank; ranks start at 0"));
        }
        return count;
    }

    List<Path> all() {
        List<Path> files = new ArrayList<>();
        for (Rank rank : ranks) {
            files.add(rank.host());
            rank.device().ifPresent(files::add);
        }
        syncTable.ifPresent(files::add);
        return files;
    }
}
