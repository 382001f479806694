package dev.stagesim.pipeline;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Copies finished runs, with those they were made from, into a store; ids are the same everywhere. */
final class RunAdoption {
    private final RunStore store;
    private final RunReader reader;

    RunAdoption(RunStore store, RunReader reader) {
        this.store = store;
        this.reader = reader;
    }

    RunRef adopt(Path dir) throws IOException {
        RunRef there = reader.whole(dir, dir.toString());
        String stage = there.meta().runType();
        Path here = store.runDir(stage, there.runId());
        if (same(dir, here)) {
            return there;
        }
        for (RunMeta.Input input : there.meta().inputs()) {
            if (input.runId().isPresent()) {
                Path beside = beside(dir, input.runId().get());
                if (RunReader.looksFinished(beside)) {
                    adopt(beside);
                }
            }
        }
        return copy(dir, stage, there.runId(), here);
    }

    /** A run's directory and those of the runs that it rests on, as far as they are in the same store. */
    List<Path> withInputs(RunRef run) throws IOException {
        Set<Path> all = new LinkedHashSet<>();
        collect(run, all);
        return List.copyOf(all);
    }

    private void collect(RunRef run, Set<Path> all) throws IOException {
        all.add(run.dir());
        for (RunMeta.Input input : run.meta().inputs()) {
            if (input.runId().isPresent()) {
                Path beside = beside(run.dir(), input.runId().get());
                if (RunReader.looksFinished(beside)) {
                    collect(reader.whole(beside, beside.toString()), all);
                }
            }
        }
    }

    /** The directory of another run of the same store: its id is its stage, a dash and digits. */
    private static Path beside(Path dir, String runId) {
        return dir.toAbsolutePath()
                .normalize()
                .resolve("../..")
                .resolve(runId.substring(0, runId.lastIndexOf('-')))
                .resolve(runId)
                .normalize();
    }

    private static boolean same(Path one, Path other) throws IOException {
        return one.getFileSystem().equals(other.getFileSystem()) && Files.exists(other) && Files.isSameFile(one, other);
    }

    @SuppressWarnings("try") // the lock is held, not used
    private RunRef copy(Path from, String stage, String runId, Path here) throws IOException {
        try (RunLock lock = store.lock(stage, runId, () -> {})) {
            store.recover(stage, runId);
            if (!RunReader.looksFinished(here)) {
                Path partial = store.newPartial(stage, runId);
                for (Path file : Digests.filesBelow(from)) {
                    Path to = partial.resolve(Digests.relative(from, file));
                    Files.createDirectories(to.getParent());
                    Files.copy(file, to);
                }
                store.commit(stage, runId);
            }
            return reader.whole(here, here.toString());
        }
    }
}
