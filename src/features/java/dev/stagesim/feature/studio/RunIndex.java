package dev.stagesim.feature.studio;

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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The runs below {@code tmp/}, kept in memory and, between sessions, in a file beside them that may be deleted at any time.
 *
 * <p>A finished run does not change, so that only new runs are read, and those that were made again.
 */
final class RunIndex {
    /** Folder of what the studio keeps, beside the runs; stages and digests do not look into it. */
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
     * The runs that are known.
     *
     * @param complete false while directories are still being read
     * @param version another for other rows
     */
    record Listing(List<RunRow> rows, boolean complete, long version) {}

    /** What a stage's folder held when it was last looked at; its time tells whether it holds something else now. */
    private record Folder(long time, List<RunRow> rows) {}

    RunIndex(Path work) {
        this.root = work.resolve("tmp");
        this.file = root.resolve(FOLDER).resolve("runs.index");
    }

    Listing listing() {
        return listing;
    }

    /** Reads the file, then whatever differs from it; later calls look for what is new. */
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
                // what is known so far; the rest of the old rows follows until it is looked at
                List<RunRow> soFar = new ArrayList<>(rows);
                soFar.addAll(before.values());
                folders.put(stage, new Folder(0, soFar));
                publish(rows(), false);
                shown = System.nanoTime();
            }
        }
        // a folder that changed just now may change again within the same tick of its clock
        boolean settled = System.currentTimeMillis() - time > TRUSTED_MS;
        folders.put(stage, new Folder(settled ? time : 0, List.copyOf(rows)));
        return changed || !before.isEmpty();
    }

    /** The row of a directory: the one that is known, unless the run was made again. */
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
            return RunRow.of(stage, name, Json.read(dir.resolve(META)), stamp, shared);
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

    /** The id that a directory is for; partial ones have a dot in front and an ending. */
    private static String id(String name) {
        return name.startsWith(".") ? name.substring(1, name.length() - PARTIAL.length()) : name;
    }

    private List<String> stages() throws IOException {
        return names(root).stream()
                .filter(name -> !name.startsWith(".") && !name.equals(SWEEPS) && isDirectory(root.resolve(name)))
                .toList();
    }

    /** Finished runs by name, and those that are being made unless a finished one is there. */
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
        try (Stream<Path> entries = Files.list(dir)) {
            return entries.map(path -> path.getFileName().toString()).sorted().toList();
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }
}
