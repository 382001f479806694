package dev.stagesim.verify.vidur;

import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Deviation;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Recorded runs of Vidur (commit 7d47513): whole simulations and request generators. */
public final class VidurSuite implements Suite {
    private static final String GENERATORS = "generators";

    @Override
    public String name() {
        return "vidur";
    }

    @Override
    public String doc() {
        return "LLM serving simulations and request generators as Vidur does them, every value equal; a folder with"
                + " cases/*/config.json, the tables/ of operator times they name, and generators/*.json.";
    }

    @Override
    public void run(Path corpus, Consumer<CaseResult> results) throws IOException {
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
            return CaseResult.failed(GENERATORS, result.id(), why);
        }
        Optional<Deviation> rule = result.deviation().isEmpty()
                ? Optional.empty()
                : Optional.of(new Deviation("zipf-scramble", "specs/workload.md", result.deviation()));
        return rule.map(deviation -> CaseResult.deviates(GENERATORS, result.id(), deviation))
                .orElseGet(() -> CaseResult.passed(GENERATORS, result.id()));
    }
}
