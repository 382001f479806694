package dev.stagesim.feature.cluster.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PercentagePointDeltaTest {
    private static final String[] WORDS = {"prefix hits", "queueing", "transfer", "residual"};

    private static String sentence(long[] before, long[] after) {
        long from = 0;
        long to = 0;
        for (int i = 0; i < before.length; i++) {
            from += before[i];
            to += after[i];
        }
        return new PercentagePointDelta(from, to, before, after, WORDS).sentence("A");
    }

    @Test
    void listsTheLargestDifferencesFirst() {
        assertThat(sentence(new long[] {-100, 700, 300, 100}, new long[] {-340, 610, 320, 100}))
                .isEqualTo("This run is 31 % better than A at P99 TTFT: 24 points from prefix hits, 9 from queueing,"
                        + " −2 from transfer.");
    }

    @Test
    void reportsWorseValues() {
        assertThat(sentence(new long[] {0, 50, 50, 0}, new long[] {0, 150, 50, 0}))
                .isEqualTo("This run is 100 % worse than A at P99 TTFT: −100 points from queueing.");
    }

    @Test
    void omitsDifferencesThatRoundToZero() {
        assertThat(sentence(new long[] {0, 1000, 0, 0}, new long[] {0, 999, 0, 0}))
                .isEqualTo("This run equals A at P99 TTFT.");
    }
}
