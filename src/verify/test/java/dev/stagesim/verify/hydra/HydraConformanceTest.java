package dev.stagesim.verify.hydra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Corpora;
import dev.stagesim.verify.VerifyReport;
import dev.stagesim.verify.registry.SuiteRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HydraConformanceTest {
    private static final Path HOME = Path.of(System.getProperty("stagesim.home", "."));

    private static void reproduces(HydraPart part, Path corpus) throws IOException {
        Path folder = corpus.resolve(part.name());
        HydraPart.Replay replay = part.opening().of(folder);
        List<String> failures = new ArrayList<>();
        int cases = 0;
        try (JsonDocuments lines = JsonDocuments.open(folder.resolve("cases.jsonl"), JsonMode.STRICT)) {
            for (Optional<LocatedJson> line = lines.next(); line.isPresent(); line = lines.next()) {
                String id = line.get().get("id").asString();
                CaseResult result = replay.run(id, line.get());
                cases++;
                if (!result.isPassed()) {
                    failures.add(id + " " + result.why());
                }
            }
        }
        assertThat(cases).isPositive();
        assertThat(failures).isEmpty();
    }

    @Test
    void parsesCommittedOverridesLikeHydra() throws IOException {
        reproduces(OverridesPart.PART, HOME.resolve("tests-data/hydra"));
    }

    @Test
    void runsCommittedSweepsLikeHydra() throws IOException {
        reproduces(MultirunPart.PART, HOME.resolve("tests-data/hydra"));
    }

    @Test
    void parsesCommittedOverridesLikeHydra14() throws IOException {
        reproduces(OverridesPart.PART, HOME.resolve("tests-data/hydra-1.4"));
    }

    @Test
    void composesAndInterpolatesLikeHydra14() throws IOException {
        VerifyReport report = new SuiteRegistry().run("hydra", HOME.resolve("tests-data/hydra-1.4"));

        assertThat(report.failed()).isEmpty();
        assertThat(report.cases()).isGreaterThan(300);
    }

    @Test
    void reproducesTheWholeCorpus() throws IOException {
        Path corpus = Corpora.beside("hydra");

        reproduces(OverridesPart.PART, corpus);
        reproduces(MultirunPart.PART, corpus);
    }
}
