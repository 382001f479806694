package dev.stagesim.pipeline;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.store.Digests;
import dev.stagesim.pipeline.store.RunLock;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.pipeline.store.RunStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Copies finished runs and their upstream runs into a store. Ids are the same in every store. */
record RunImporter(RunStore store, RunReader reader) {
    /**
     * Imports a run. Throws if the directory name differs from the run id, because other names of the run are then
     * untrusted.
     */
    RunRef adopt(Path dir) throws IOException {
        return adopt(dir, new HashSet<>());
    }

    private RunRef adopt(Path dir, Set<String> begun) throws IOException {
        RunRef there = reader.readVerified(dir, dir.toString());
        String stage = there.meta().runType();
        Path place = dir.toAbsolutePath().normalize();
        if (!place.endsWith(Path.of(stage, there.runId()).toString())) {
            throw StageException.input(Problem.artifact(dir.toString(), "is not the directory of its run")
                    .note("expected", stage + "/" + there.runId()));
        }
        Path here = store.runDir(stage, there.runId());
        if (same(dir, here)) {
            return there;
        }
        begun.add(there.runId());
        for (RunMeta.Input input : there.meta().inputs()) {
            if (input.runId().isPresent() && begun.add(input.runId().get())) {
                Path beside = beside(dir, input.runId().get());
                if (RunReader.looksFinished(beside)) {
                    adopt(beside, begun);
                }
            }
        }
        return copy(dir, there, here);
    }

    /** Returns the directories of a run and of its upstream runs in the same store. */
    List<Path> withInputs(RunRef run) throws IOException {
        Set<Path> all = new LinkedHashSet<>();
        collect(run, all);
        return List.copyOf(all);
    }

    private void collect(RunRef run, Set<Path> all) throws IOException {
        if (!all.add(run.dir())) {
            return;
        }
        for (RunMeta.Input input : run.meta().inputs()) {
            if (input.runId().isPresent()) {
                Path beside = beside(run.dir(), input.runId().get());
                if (RunReader.looksFinished(beside)) {
                    collect(reader.readVerified(beside, beside.toString()), all);
                }
            }
        }
    }

    /** Returns the directory of another run of the same store. */
    private static Path beside(Path dir, String runId) {
        return dir.toAbsolutePath()
                .normalize()
                .resolve("../..")
                .resolve(RunIdentity.stage(runId).orElseThrow())
                .resolve(runId)
                .normalize();
    }

    private static boolean same(Path one, Path other) throws IOException {
        return one.getFileSystem().equals(other.getFileSystem()) && Files.exists(other) && Files.isSameFile(one, other);
    }

    @SuppressWarnings("try") // the lock variable is unused
    private RunRef copy(Path from, RunRef there, Path here) throws IOException {
        String stage = there.meta().runType();
        String runId = there.runId();
        store.tidy(stage);
        try (RunLock lock = store.lock(stage, runId, () -> {})) {
            store.recover(stage, runId);
            if (!RunReader.looksFinished(here)) {
                Path partial = store.newPartial(stage, runId);
                boolean done = false;
                try {
                    copyFiles(from, partial);
                    store.commit(stage, runId);
                    done = true;
                } finally {
                    if (!done) {
                        store.discardPartial(stage, runId);
                    }
                }
            }
            RunRef taken = reader.readVerified(here, here.toString());
            if (!RunIdentity.answers(
                    taken.meta(), there.meta().params(), there.meta().inputs())) {
                throw StageException.input(Problem.artifact(
                                from.toString(), "has other settings or inputs than the run with the same id here")
                        .note("here", here.toString()));
            }
            return taken;
        }
    }

    /** The target of a link is not part of a run, so links are rejected. */
    private static void copyFiles(Path from, Path to) throws IOException {
        for (Path file : Digests.filesBelow(from)) {
            if (Files.isSymbolicLink(file)) {
                throw StageException.input(Problem.artifact(file.toString(), "is a link, expected a file of the run"));
            }
            Path copy = to.resolve(Digests.relative(from, file));
            Files.createDirectories(copy.getParent());
            Files.copy(file, copy);
        }
    }
}
