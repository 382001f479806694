package dev.stagesim.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ExplorerTest {
    private static Iterable<String> headings(String... keys) {
        return new Explorer("job", List.of(keys), List.of(), List.of("ttft_p99_ms"))
                .parts()
                .keySet();
    }

    @Test
    void drawsTheChartForTheNumberOfKeys() {
        assertThat(headings("qps")).containsExactly("Metrics over qps", "Scatter plot", "All rows");
        assertThat(headings("qps", "tp")).containsExactly("Heatmap", "Scatter plot", "All rows");
        assertThat(headings("qps", "tp", "pp"))
                .containsExactly("Scatter plot", "Parallel coordinates", "Heatmap", "All rows");
        assertThat(headings()).containsExactly("Scatter plot", "All rows");
    }
}
