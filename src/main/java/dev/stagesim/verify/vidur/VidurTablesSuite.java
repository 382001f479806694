package dev.stagesim.verify.vidur;

import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Recorded prediction tables of Vidur (commit 7d47513), each trained again from the bundle it was made from. */
public final class VidurTablesSuite implements Suite {
    @Override
    public String name() {
        return "vidur-tables";
    }

    @Override
    public String doc() {
        return "Trained operator times as Vidur predicts them: all of a random forest equal, linear regression to 8 digits;"
                + " a folder with tables/*/provenance.json and the bundles/profiling/ they were trained from.";
    }

    @Override
    public void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        RebuiltTables.run(corpus, results);
    }
}
