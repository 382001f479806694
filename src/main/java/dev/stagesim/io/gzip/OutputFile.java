package dev.stagesim.io.gzip;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Finds the places of artifacts whose names are made from text: below the run directory and nowhere else. */
public final class OutputFile {
    private OutputFile() {}

    /**
     * Returns the file of a name below a directory, and makes the folders between them.
     *
     * @param name one or several parts separated by {@code /}
     * @throws StageException (input) if the file would be outside of the directory, also through a link
     */
    public static Path in(Path dir, String name) throws IOException {
        try {
            return within(dir, dir.resolve(name));
        } catch (InvalidPathException impossible) {
            throw StageException.input(InputFile.impossible(impossible), impossible);
        }
    }

    /** Returns {@code file}, with the folders that lead to it, if it is below a directory. */
    public static Path within(Path dir, Path file) throws IOException {
        Path root = dir.toAbsolutePath().normalize();
        Path place = file.toAbsolutePath().normalize();
        Path folder = place.getParent();
        if (folder == null || place.equals(root) || !place.startsWith(root) || leadsOut(root, place)) {
            throw StageException.input(Problem.config(
                    file.toString(), "is outside of the directory of the run, expected a file in " + dir));
        }
        Files.createDirectories(folder);
        return file;
    }

    /** Returns true if a link on the way from a directory to a file leads out of the directory. */
    private static boolean leadsOut(Path root, Path place) throws IOException {
        Path existing = existing(place);
        Path start = existing(root);
        if (existing == null || start == null || !existing.startsWith(root)) {
            return false;
        }
        try {
            return !existing.toRealPath().startsWith(start.toRealPath());
        } catch (NoSuchFileException dangling) {
            return true;
        }
    }

    private static @Nullable Path existing(Path path) {
        Path found = path;
        while (found != null && !Files.exists(found, LinkOption.NOFOLLOW_LINKS)) {
            found = found.getParent();
        }
        return found;
    }
}
