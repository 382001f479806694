package dev.stagesim.verify;

import dev.stagesim.io.gzip.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** The cases of a corpus that has a folder for each. */
public final class CaseFolders {
    private CaseFolders() {}

    /** Replays one case. */
    public interface Replay {
        /** Replays the case of a folder. An exception makes the case fail. */
        CaseResult replay(Path folder) throws IOException;
    }

    /**
     * Replays every case of a folder. A case that throws an exception has failed, and the remaining cases are still
     * replayed.
     */
    public static void replay(Path folder, Replay how, Consumer<CaseResult> results) throws IOException {
        replay(String.valueOf(folder.getFileName()), in(folder), how, results);
    }

    /** Replays the folders of one section of a corpus. */
    public static void replay(String section, List<Path> folders, Replay how, Consumer<CaseResult> results) {
        for (Path path : folders) {
            CaseResult result;
            try {
                result = how.replay(path);
            } catch (IOException | RuntimeException | StackOverflowError thrown) {
                result = CaseResult.failed(
                        section, String.valueOf(path.getFileName()), "replay", "a comparison", thrown.toString());
            }
            results.accept(result);
        }
    }

    /**
     * Returns the folders directly below {@code folder} that contain a {@code case.json}, by name; empty if {@code folder}
     * is absent.
     */
    public static List<Path> in(Path folder) throws IOException {
        return Files.isDirectory(folder)
                ? Directories.list(folder, entry -> Files.isRegularFile(entry.resolve("case.json")))
                : List.of();
    }
}
