package dev.stagesim.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The cases of a corpus that has a folder for each. */
public final class CaseFolders {
    private CaseFolders() {}

    /** The folders directly in {@code folder} that hold a {@code case.json}, in order of name; none where it is absent. */
    public static List<Path> in(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(entry -> Files.isRegularFile(entry.resolve("case.json")))
                    .sorted()
                    .toList();
        }
    }
}
