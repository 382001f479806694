package dev.stagesim.io.gzip;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Resolves artifact names that are made from text to paths inside the run directory. */
public final class OutputFile {
    private OutputFile() {}

    /**
     * Returns a file below a directory and creates the folders between them.
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

    /** Returns {@code file}, and creates its folders, if it is below a directory. */
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

    private static boolean leadsOut(Path root, Path place) throws IOException {
        try {
            return !isBelow(root, place);
        } catch (NoSuchFileException dangling) {
            return true;
        }
    }

    /**
     * True if a path is the folder or below it after all links are resolved. Neither needs to exist.
     *
     * @throws NoSuchFileException if the target of a link does not exist
     */
    public static boolean isBelow(Path folder, Path path) throws IOException {
        return real(path).startsWith(real(folder));
    }

    /** Resolves all links of the existing part of a path. */
    private static Path real(Path path) throws IOException {
        Path all = path.toAbsolutePath();
        int known = all.getNameCount();
        while (known > 0 && !Files.exists(first(all, known), LinkOption.NOFOLLOW_LINKS)) {
            known--;
        }
        Path real = first(all, known).toRealPath();
        return known == all.getNameCount()
                ? real
                : real.resolve(all.subpath(known, all.getNameCount())).normalize();
    }

    private static Path first(Path path, int names) {
        return names == 0 ? path.getRoot() : path.getRoot().resolve(path.subpath(0, names));
    }
}
