package dev.stagesim.verify.eplb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Corpora;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EplbSuiteTest {
    private static List<CaseResult> run(Path corpus) throws IOException {
        List<CaseResult> results = new ArrayList<>();
        EplbSuite.SUITE.run(corpus, results::add);
        return results;
    }

    @Test
    void reproducesCommittedCases() throws IOException {
        assertThat(run(Path.of("tests-data", "eplb"))).hasSize(8).allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @Test
    void reproducesTheCorpus() throws IOException {
        assertThat(run(Corpora.beside("eplb"))).isNotEmpty().allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }
}
