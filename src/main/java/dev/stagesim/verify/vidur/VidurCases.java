package dev.stagesim.verify.vidur;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Replays every case below {@code cases/} of a corpus. */
public final class VidurCases {
    /**
     * What came of one case.
     *
     * @param id folder name
     * @param compared values compared
     * @param differences total number of values that differ
     * @param why first differences of each file; empty when the case is reproduced exactly
     */
    public record Result(String id, long compared, int differences, List<String> why) {
        public boolean exact() {
            return differences == 0 && compared > 0;
        }
    }

    private VidurCases() {}

    /** Replays the cases in order of name, handing each result on as it is known. */
    public static void run(Path corpus, Consumer<Result> results) throws IOException {
        ExportedTables tables = new ExportedTables(corpus.resolve("tables"));
        try (Stream<Path> folders = Files.list(corpus.resolve("cases"))) {
            for (Path folder : folders.filter(Files::isDirectory).sorted().toList()) {
                Differences found = new CaseReplay(folder).run(tables);
                String id = folder.getFileName().toString();
                results.accept(new Result(id, found.compared(), found.total(), found.lines()));
            }
        }
    }
}
