package dev.stagesim.verify.scalesim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Corpora;
import dev.stagesim.verify.Suite;
import dev.stagesim.verify.mnk.MnkSuite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ScaleSimSuiteTest {
    private static List<CaseResult> run(Suite suite, String corpus) throws IOException {
        List<CaseResult> results = new ArrayList<>();
        suite.run(Path.of(corpus), results::add);
        return results;
    }

    @Test
    void reproducesRecordedRuns() throws IOException {
        List<CaseResult> results = run(ScaleSimSuite.SUITE, "tests-data/scalesim");
        assertThat(results).hasSize(20).allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @Test
    void reproducesRecordedWorkloads() throws IOException {
        List<CaseResult> results = run(MnkSuite.SUITE, "tests-data/mnk");
        assertThat(results).hasSize(7).allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"scalesim", "scalesim-large"})
    void reproducesTheCorpus(String name) throws IOException {
        Path corpus = Corpora.beside(name);
        assertThat(run(ScaleSimSuite.SUITE, corpus.toString()))
                .allSatisfy(result -> assertThat(result.why()).isEmpty());
    }
}
