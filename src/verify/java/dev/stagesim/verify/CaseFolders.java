package dev.stagesim.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The cases of a corpus that has a folder for each. */
public final class CaseFolders {
    private CaseFolders() {}

    /** Replays one case. */
    public interface Replay {
        /** Replays the case of a folder; whatever it throws makes the case a failed one. */
        CaseResult replay(Path folder) throws IOException;
    }

    /** Replays every case of a folder; one that ends with an exception has failed, and the rest are replayed all the same. */
    public static void replay(Path folder, Replay how, Consumer<CaseResult> results) throws IOException {
        replay(String.valueOf(folder.getFileName()), in(folder), how, results);
    }

    /** The same of the folders that a section of a corpus has. */
    public static void replay(String section, List<Path> folders, Replay how, Consumer<CaseResult> results) {
        for (Path path : folders) {
            CaseResult result;
            try {
                result = how.replay(path);
            } catch (IOException | RuntimeException | StackOverflowError thrown) {
                result = CaseResult.failed(
                        section,
                        String.valueOf(path.getFileName()),
                        List.of(new Difference("replay", "a comparison", thrown.toString())));
            }
            results.accept(result);
        }
    }

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
