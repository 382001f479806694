package dev.stagesim.io.gzip;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Lists and deletes directories. */
public final class Directories {
    private Directories() {}

    /** Returns the entries of a directory that satisfy a condition, sorted. */
    public static List<Path> list(Path directory, Predicate<Path> condition) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(condition).sorted().toList();
        }
    }

    /** Returns the regular files below a directory at any depth, sorted. */
    public static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> tree = Files.walk(directory)) {
            return tree.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** Deletes a directory with its files. */
    public static void delete(Path directory) throws IOException {
        List<Path> all;
        try (Stream<Path> tree = Files.walk(directory)) {
            all = tree.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.deleteIfExists(path);
        }
    }
}
