package dev.stagesim.feature.studio;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Index of the runs below {@code tmp/}. It is in memory and, between sessions, in a file that may be deleted at any
 * time.
 *
 * <p>A finished run does not change, so only new and re-created runs are read.
 */
final class RunIndex {
    /** Folder for the studio's own files, next to the runs; stages and digests ignore it. */
    static final String FOLDER = ".studio";

    private static final String SWEEPS = "sweeps";
    private static final String META = "run_meta.json";
    private static final String PARTIAL = ".partial";
    private static final long SHOW_EVERY_NS = 1_000_000_000L;
    private static final long TRUSTED_MS = 2000;

    private final Path root;
    private final Path file;
    private final RunRow.Shared shared = new RunRow.Shared();
    private final Map<String, Folder> folders = new TreeMap<>();
    private volatile Listing listing = new Listing(List.of(), false, 0);

    /**
     * Runs in the index.
     *
     * @param complete false while directories are still being read
     * @param version changes when the rows change
     */
    record Listing(List<RunRow> rows, boolean complete, long version) {}

    /** Content of a stage's folder at its last scan; a different modification time means that it has changed. */
    private record Folder(long time, List<RunRow> rows) {}

    RunIndex(Path work) {
        this.root = work.resolve("tmp");
        this.file = root.resolve(FOLDER).resolve("runs.index");
    }

    Listing listing() {
        return listing;
    }

    /** Reads the index file and updates it; later calls read only new runs. */
    synchronized void refresh() throws IOException {
        boolean first = folders.isEmpty() && !listing.complete();
        if (first) {
            List<RunRow> kept = IndexFile.read(file);
            publish(kept, false);
            Map<String, List<RunRow>> byStage = new HashMap<>();
            kept.forEach(row -> byStage.computeIfAbsent(row.stage(), stage -> new ArrayList<>())
                    .add(row));
            byStage.forEach((stage, rows) -> folders.put(stage, new Folder(0, rows)));
        }
        boolean changed = false;
        List<String> stages = stages();
        changed |= folders.keySet().retainAll(stages);
        for (String stage : stages) {
            changed |= refresh(stage);
        }
        if (changed || first) {
            List<RunRow> rows = rows();
            publish(rows, true);
            if (changed && Files.isDirectory(root)) {
                Files.createDirectories(file.getParent());
                IndexFile.write(file, rows);
            }
        }
    }

    private List<RunRow> rows() {
        return folders.values().stream()
                .flatMap(folder -> folder.rows().stream())
                .toList();
    }

    private void publish(List<RunRow> rows, boolean complete) {
        listing = new Listing(rows, complete, listing.version() + 1);
    }

    private boolean refresh(String stage) throws IOException {
        Path dir = root.resolve(stage);
        Folder known = folders.getOrDefault(stage, new Folder(0, List.of()));
        long time;
        try {
            time = Files.getLastModifiedTime(dir).toMillis();
        } catch (NoSuchFileException gone) {
            return folders.remove(stage) != null;
        }
        if (time == known.time()) {
            return false;
        }
        Map<String, RunRow> before = new HashMap<>();
        known.rows().forEach(row -> before.put(row.id(), row));
        List<RunRow> rows = new ArrayList<>();
        boolean changed = false;
        List<String> names = directories(dir);
        long shown = System.nanoTime();
        for (String name : names) {
            @Nullable RunRow old = before.remove(id(name));
            if (old == null && !isDirectory(dir.resolve(name))) {
                continue;
            }
            RunRow row = row(dir, stage, name, old);
            changed |= !row.equals(old);
            rows.add(row);
            if (changed && System.nanoTime() - shown > SHOW_EVERY_NS) {
                // Publish the rows read up to now; the remaining old rows stay until they are checked.
                List<RunRow> soFar = new ArrayList<>(rows);
                soFar.addAll(before.values());
                folders.put(stage, new Folder(0, soFar));
                publish(rows(), false);
                shown = System.nanoTime();
            }
        }
        // A folder that has just changed may change again without a new modification time.
        boolean settled = System.currentTimeMillis() - time > TRUSTED_MS;
        folders.put(stage, new Folder(settled ? time : 0, List.copyOf(rows)));
        return changed || !before.isEmpty();
    }

    /** Returns the row of a directory: the existing one unless the run was re-created. */
    private RunRow row(Path folder, String stage, String name, @Nullable RunRow old) {
        Path dir = folder.resolve(name);
        long stamp = stamp(dir);
        if (old != null && old.stamp() == stamp) {
            return old;
        }
        if (name.startsWith(".")) {
            return RunRow.bare(shared.text(stage), id(name), stamp, "unfinished");
        }
        try {
            return RunRow.of(stage, name, dir, Json.read(dir.resolve(META)), stamp, shared);
        } catch (IOException | UncheckedIOException | StageException unreadable) {
            return RunRow.bare(shared.text(stage), name, stamp, "broken");
        }
    }

    private static long stamp(Path dir) {
        try {
            BasicFileAttributes meta = Files.readAttributes(dir.resolve(META), BasicFileAttributes.class);
            return 31 * meta.lastModifiedTime().toMillis() + meta.size() + 1;
        } catch (IOException unfinished) {
            return 0;
        }
    }

    /** Returns the id of a directory; partial runs have a leading dot and a suffix. */
    private static String id(String name) {
        return name.startsWith(".") ? name.substring(1, name.length() - PARTIAL.length()) : name;
    }

    private List<String> stages() throws IOException {
        return names(root).stream()
                .filter(name -> !name.startsWith(".") && !name.equals(SWEEPS) && isDirectory(root.resolve(name)))
                .toList();
    }

    /** Returns finished runs by name, and partial runs without a finished one. */
    private static List<String> directories(Path dir) throws IOException {
        List<String> all = names(dir);
        Set<String> ids = Set.copyOf(all);
        return all.stream()
                .filter(name -> !name.startsWith(".") || (name.endsWith(PARTIAL) && !ids.contains(id(name))))
                .toList();
    }

    private static boolean isDirectory(Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    }

    private static List<String> names(Path dir) throws IOException {
        try {
            return Directories.list(dir, path -> true).stream()
                    .map(path -> path.getFileName().toString())
                    .toList();
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }
}
