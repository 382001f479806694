package dev.stagesim.feature.studio;

import dev.stagesim.io.gzip.OutputFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Resolves runs and their files from names in requests. Rejects every path outside the runs, including through links.
 */
final class RunFiles {
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "svg", "image/svg+xml",
            "png", "image/png",
            "md", "text/plain; charset=utf-8",
            "txt", "text/plain; charset=utf-8",
            "csv", "text/plain; charset=utf-8",
            "json", "text/plain; charset=utf-8",
            "jsonl", "text/plain; charset=utf-8",
            "log", "text/plain; charset=utf-8");

    private static final long MAX_SHOWN_BYTES = 1 << 25;

    private final Path root;

    RunFiles(Path work) {
        this.root = work.resolve("tmp");
    }

    /** Returns the directory of {@code stage/id}. */
    Path run(String name) throws IOException {
        String[] parts = name.split("/", -1);
        if (parts.length != 2) {
            throw new NoSuchFileException(name);
        }
        return run(parts[0], parts[1]);
    }

    Path run(String stage, String id) throws IOException {
        Path dir = below(root, List.of(stage, id));
        if (!Files.isDirectory(dir, LinkOption.NOFOLLOW_LINKS)) {
            throw new NoSuchFileException(stage + "/" + id);
        }
        return dir;
    }

    /** Returns a file of a run from the segments of its path. */
    Path file(Path run, List<String> parts) throws IOException {
        Path file = below(run, parts);
        if (!Files.isRegularFile(file)) {
            throw new NoSuchFileException(String.join("/", parts));
        }
        return file;
    }

    /** Returns a file as a response: the browser displays pages and text; other types and large files are downloads. */
    static ApiResponse reply(Path file) throws IOException {
        String name = file.getFileName().toString();
        String type = TYPES.getOrDefault(
                name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT), "application/octet-stream");
        boolean save = type.equals("application/octet-stream") || Files.size(file) > MAX_SHOWN_BYTES;
        return ApiResponse.file(file, type, save);
    }

    /** Returns a path below the folder; fails if a segment is not a plain name or the real path is outside. */
    private static Path below(Path folder, List<String> parts) throws IOException {
        String shown = String.join("/", parts);
        Path path = folder;
        for (String part : parts) {
            boolean name = !part.isEmpty()
                    && !part.startsWith(".")
                    && part.chars().noneMatch(c -> c == '/' || c == '\\' || c == 0);
            if (!name) {
                throw new NoSuchFileException(shown);
            }
            try {
                path = path.resolve(part);
            } catch (InvalidPathException odd) {
                throw new NoSuchFileException(shown, null, odd.getMessage());
            }
        }
        if (!OutputFile.isBelow(folder, path)) {
            throw new NoSuchFileException(shown);
        }
        return path;
    }
}
