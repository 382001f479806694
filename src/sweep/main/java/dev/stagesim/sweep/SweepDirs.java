package dev.stagesim.sweep;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.gzip.Directories;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds the directory of a sweep from a path that the user gives. */
public final class SweepDirs {
    private SweepDirs() {}

    /** Returns true if the directory is one of a sweep. */
    public static boolean isSweep(Path dir) {
        return Files.isRegularFile(dir.resolve(Manifest.FILE));
    }

    /** Returns the runs of the jobs of a sweep that have one, in the order of the jobs. */
    public static List<String> runIds(Path sweep) throws IOException {
        LooseTable jobs = LooseTable.read(sweep.resolve(SweepSchemas.JOBS.name()));
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i++) {
            ids.add(jobs.text(i, "run_id"));
        }
        ids.removeIf(String::isEmpty);
        return ids;
    }

    /**
     * Returns the sweep's directory itself, or the only sweep of a working directory or of its {@code tmp/}.
     *
     * @throws StageException (input) if there is no sweep, or more than one
     */
    public static Path find(Path given) throws IOException {
        if (Files.isRegularFile(given.resolve(Manifest.FILE))) {
            return given.toAbsolutePath().normalize();
        }
        List<Path> found = new ArrayList<>();
        for (String folder : List.of("", "sweeps", "tmp/sweeps")) {
            Path dir = given.resolve(folder);
            if (Files.isDirectory(dir)) {
                found.addAll(Directories.list(dir, sweep -> Files.isRegularFile(sweep.resolve(Manifest.FILE))));
            }
        }
        if (found.size() == 1) {
            return found.get(0).toAbsolutePath().normalize();
        }
        Problem problem =
                Problem.usage(given.toString(), found.isEmpty() ? "contains no sweep" : "contains several sweeps");
        throw StageException.input(
                found.isEmpty()
                        ? problem.hint("give the directory of a sweep, tmp/sweeps/<id>, or its working directory")
                        : problem.options(found.stream().map(Path::toString).toList()));
    }
}
