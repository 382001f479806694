package dev.stagesim.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TokenGapsTest {
    @Test
    void keepsEveryGapWhileThereIsRoom() {
        TokenGaps gaps = collect(8, 8);
        assertThat(gaps.values()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(gaps.stride()).isEqualTo(1);
    }

    @Test
    void thinsEvenlyWhenFull() {
        assertThat(collect(9, 8).values()).containsExactly(0, 2, 4, 6, 8);
        TokenGaps gaps = collect(100, 8);
        assertThat(gaps.stride()).isEqualTo(16);
        assertThat(gaps.values()).containsExactly(0, 16, 32, 48, 64, 80, 96);
        assertThat(gaps.total()).isEqualTo(100);
    }

    @Test
    void sortsValuesOfAnyOrder() {
        TokenGaps.Collector collector = new TokenGaps.Collector(8);
        for (long gap : new long[] {5, 1, 4}) {
            collector.add(1, gap);
        }
        assertThat(collector.done("token_metrics.csv").values()).containsExactly(1, 4, 5);
    }

    @Test
    void countsEveryGapInSpans() {
        assertThat(collect(100, 8).spans()).containsEntry(1L, new TokenGaps.Span(100, 4950));
    }

    private static TokenGaps collect(int gaps, int max) {
        TokenGaps.Collector collector = new TokenGaps.Collector(max);
        for (int i = 0; i < gaps; i++) {
            collector.add(1, i);
        }
        return collector.done("token_metrics.csv");
    }
}
