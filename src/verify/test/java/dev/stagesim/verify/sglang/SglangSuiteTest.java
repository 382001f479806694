package dev.stagesim.verify.sglang;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Corpora;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class SglangSuiteTest {
    private static List<CaseResult> run(Path corpus, SglangRules rules) throws IOException {
        List<CaseResult> results = new ArrayList<>();
        SglangSuite.of(rules).run(corpus, results::add);
        return results;
    }

    @ParameterizedTest
    @EnumSource
    void reproducesCommittedCases(SglangRules rules) throws IOException {
        Path kept = Path.of("tests-data").resolve(SglangSuite.of(rules).name());
        assertThat(run(kept, rules)).hasSizeGreaterThan(5).allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @ParameterizedTest
    @EnumSource
    void reproducesTheCorpus(SglangRules rules) throws IOException {
        Path corpus = Corpora.beside(SglangSuite.of(rules).name());
        assertThat(run(corpus, rules)).isNotEmpty().allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }
}
