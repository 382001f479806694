package dev.stagesim.verify.chakra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Corpora;
import dev.stagesim.verify.ToolArguments;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ChakraSuiteTest {
    private static List<CaseResult> run(Path corpus) throws IOException {
        List<CaseResult> results = new ArrayList<>();
        ChakraSuite.SUITE.run(corpus, results::add);
        return results;
    }

    @Test
    void reproducesRecordedRuns() throws IOException {
        assertThat(run(Path.of("tests-data", "chakra"))).isNotEmpty().allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @Test
    void reproducesTheCorpus() throws IOException {
        Path corpus = Corpora.beside("chakra");
        assertThat(run(corpus)).isNotEmpty().allSatisfy(result -> assertThat(result.why())
                .isEmpty());
    }

    @Test
    void acceptsOptionsByTheirPrefix() {
        List<String> options = List.of("--num-npus", "--num-passes", "--input");
        ToolArguments arguments = ToolArguments.parse(List.of("Text", "--num-n", "-1", "--in=w.txt"), options);

        assertThat(arguments.others()).containsExactly("Text");
        assertThat(arguments.number("--num-npus")).isEqualTo(-1);
        assertThat(arguments.get("--input")).isEqualTo("w.txt");
        assertThatThrownBy(() -> ToolArguments.parse(List.of("--num", "1"), options))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("ambiguous");
        assertThatThrownBy(() -> ToolArguments.parse(List.of("--bogus", "1"), options))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("unrecognized");
    }
}
