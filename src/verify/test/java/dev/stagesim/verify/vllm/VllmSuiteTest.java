package dev.stagesim.verify.vllm;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Corpora;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class VllmSuiteTest {
    private static final Path KEPT = Path.of("tests-data", "vllm-v1");

    private static List<CaseResult> run(Path corpus) throws IOException {
        return run(corpus, VllmRules.V0_28);
    }

    private static List<CaseResult> run(Path corpus, VllmRules rules) throws IOException {
        List<CaseResult> results = new ArrayList<>();
        VllmSuite.of(rules).run(corpus, results::add);
        return results;
    }

    @Test
    void reproducesCommittedCasesOfTheNewestVersion() throws IOException {
        assertThat(run(Path.of("tests-data", "vllm-0.33"), VllmRules.V0_33))
                .hasSize(8 + 27)
                .allSatisfy(result -> assertThat(result.why()).isEmpty());
    }

    @Test
    void reproducesTheCorpusOfTheNewestVersion() throws IOException {
        assertThat(run(Corpora.beside("vllm-0.33"), VllmRules.V0_33))
                .isNotEmpty()
                .allSatisfy(result -> assertThat(result.why()).isEmpty());
    }

    @Test
    void reproducesCommittedCases() throws IOException {
        assertThat(run(KEPT)).hasSize(6 + 6 + 4 + 3 + 2 + 33).allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @Test
    void reproducesTheCorpus() throws IOException {
        assertThat(run(Corpora.beside("vllm-v1"))).isNotEmpty().allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @Test
    void showsTheFirstStepThatDiffers() throws IOException {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Path kept = KEPT.resolve("cases/worked-006");
            Path changed = Files.createDirectories(files.getPath("/corpus/cases/changed"));
            Files.writeString(changed.resolve("case.json"), Files.readString(kept.resolve("case.json")));
            String expected = Files.readString(kept.resolve("expected.jsonl"));
            Files.writeString(
                    changed.resolve("expected.jsonl"), expected.replace("\"hit\":{\"d\":12}", "\"hit\":{\"d\":8}"));

            List<CaseResult> results = run(files.getPath("/corpus"));

            assertThat(results).singleElement().satisfies(result -> assertThat(result.why())
                    .contains("line 13")
                    .contains("\"hit\":{\"d\":8}")
                    .contains("\"hit\":{\"d\":12}"));
        }
    }
}
