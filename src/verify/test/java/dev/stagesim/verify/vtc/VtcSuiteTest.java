package dev.stagesim.verify.vtc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Corpora;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class VtcSuiteTest {
    private static List<CaseResult> run(Path corpus) throws IOException {
        List<CaseResult> results = new ArrayList<>();
        VtcSuite.SUITE.run(corpus, results::add);
        return results;
    }

    @Test
    void reproducesCommittedCases() throws IOException {
        assertThat(run(Path.of("tests-data", "vtc"))).hasSize(4).allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @Test
    void reproducesTheCorpus() throws IOException {
        assertThat(run(Corpora.beside("vtc"))).isNotEmpty().allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }
}
