package dev.stagesim.verify.vidur;

import dev.stagesim.verify.CaseResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Replays every folder below {@code cases/} of a corpus: whole simulations with exported operator times. */
final class VidurCases {
    private static final String PART = "cases";

    private VidurCases() {}

    static void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        Path cases = corpus.resolve(PART);
        if (!Files.isDirectory(cases)) {
            return;
        }
        ExportedTables tables = new ExportedTables(corpus.resolve("tables"));
        for (Path folder : folders(cases)) {
            results.accept(replay(folder, tables));
        }
    }

    private static List<Path> folders(Path cases) throws IOException {
        try (Stream<Path> all = Files.list(cases)) {
            return all.filter(Files::isDirectory).sorted().toList();
        }
    }

    private static CaseResult replay(Path folder, ExportedTables tables) {
        String id = String.valueOf(folder.getFileName());
        try {
            Differences found = new CaseReplay(folder).run(tables);
            if (found.none() && found.compared() == 0) {
                return CaseResult.failed(PART, id, "expected", "files to compare", "none");
            }
            return found.none() ? CaseResult.passed(PART, id) : CaseResult.failed(PART, id, found.shown());
        } catch (IOException | RuntimeException e) {
            return CaseResult.failed(PART, id, "", "a replay", String.valueOf(e));
        }
    }
}
