package dev.stagesim.verify.vidur;

import dev.stagesim.io.gzip.Directories;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Deviation;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Recorded prediction tables of Vidur (commit 7d47513), each retrained from its bundle. */
public final class VidurTablesSuite {
    /** The suite. */
    public static final Suite SUITE = new Suite(
            "vidur-tables",
            "Operator times predicted by Vidur: random forests are equal, linear regression agrees to 8 digits. The"
                    + " corpus has tables/*/provenance.json and their training data in bundles/profiling/.",
            VidurTablesSuite::run);

    private VidurTablesSuite() {}

    private static void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        RebuiltTables.run(corpus, results);
    }

    /**
     * Retrains every exported table if the corpus has its bundle. Random forests must match in all entries, linear
     * regression to 8 digits.
     */
    private static final class RebuiltTables {
        private static final String PART = "tables";
        private static final double LINEAR_BOUND = 1e-8;
        private static final Deviation LINEAR = new Deviation(
                "linear-regression",
                "specs/prediction.md",
                "times of linear regression agree to 8 digits; the last digits depend on the least-squares solver");

        private RebuiltTables() {}

        static void run(Path corpus, Consumer<CaseResult> results) throws IOException {
            Path bundles = corpus.resolve("bundles").resolve("profiling");
            if (!Files.isDirectory(bundles) || !Files.isDirectory(corpus.resolve(PART))) {
                return;
            }
            for (Path folder : Directories.list(corpus.resolve(PART), Files::isDirectory)) {
                if (Files.exists(folder.resolve("provenance.json"))) {
                    results.accept(rebuild(folder, bundles));
                }
            }
        }

        private static CaseResult rebuild(Path folder, Path bundles) {
            String id = String.valueOf(folder.getFileName());
            try {
                RebuiltTable table = new RebuiltTable(folder, bundles);
                table.run();
                boolean isWithinBound = table.maxError() <= LINEAR_BOUND;
                if (table.compared() > 0 && !RebuiltTable.isForest(folder) && isWithinBound) {
                    return CaseResult.deviates(PART, id, LINEAR);
                }
                if (table.compared() == 0 || table.equal() < table.compared()) {
                    String equal = table.equal() + " equal; first: " + table.firstDifference();
                    return CaseResult.failed(PART, id, "entries", table.compared() + " equal", equal);
                }
                return CaseResult.passed(PART, id);
            } catch (IOException | RuntimeException e) {
                return CaseResult.failed(PART, id, "", "a table", String.valueOf(e));
            }
        }
    }
}
