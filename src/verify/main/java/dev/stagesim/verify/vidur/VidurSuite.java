package dev.stagesim.verify.vidur;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Deviation;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Recorded runs of Vidur (commit 7d47513): whole simulations and request generators. */
public final class VidurSuite {
    private static final String GENERATORS = "generators";

    /** The suite. */
    public static final Suite SUITE = new Suite(
            "vidur",
            "LLM serving simulations and request generators as Vidur does them, every value equal; a folder with"
                    + " cases/*/config.json, the tables/ of operator times they name, and generators/*.json.",
            VidurSuite::run);

    private VidurSuite() {}

    private static void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        VidurCases.run(corpus, results);
        if (Files.isDirectory(corpus.resolve(GENERATORS))) {
            GeneratorCases.run(corpus, result -> results.accept(of(result)));
        }
    }

    private static CaseResult of(GeneratorCases.Result result) {
        if (!result.passed()) {
            List<Difference> why = result.why().isEmpty()
                    ? List.of(new Difference("", "values to compare", "none"))
                    : result.why().stream()
                            .map(line -> new Difference(line, "the recorded value", "another"))
                            .toList();
            return CaseResult.of(GENERATORS, result.id(), why);
        }
        return result.deviation().isEmpty()
                ? CaseResult.passed(GENERATORS, result.id())
                : CaseResult.deviates(
                        GENERATORS,
                        result.id(),
                        new Deviation("zipf-scramble", "specs/workload.md", result.deviation()));
    }

    /** Replays every folder below {@code cases/} of a corpus: whole simulations with exported operator times. */
    private static final class VidurCases {
        private static final String PART = "cases";

        private VidurCases() {}

        static void run(Path corpus, Consumer<CaseResult> results) throws IOException {
            Path cases = corpus.resolve(PART);
            if (!Files.isDirectory(cases)) {
                return;
            }
            ExportedTables tables = new ExportedTables(corpus.resolve("tables"));
            for (Path folder : Directories.list(cases, Files::isDirectory)) {
                results.accept(replay(folder, tables));
            }
        }

        private static CaseResult replay(Path folder, ExportedTables tables) {
            String id = String.valueOf(folder.getFileName());
            try {
                Differences found = new VidurReplay(folder).run(tables);
                if (found.none() && found.compared() == 0) {
                    return CaseResult.failed(PART, id, "expected", "files to compare", "none");
                }
                return CaseResult.of(PART, id, found.shown());
            } catch (IOException | RuntimeException e) {
                return CaseResult.failed(PART, id, "", "a replay", String.valueOf(e));
            }
        }
    }
}
