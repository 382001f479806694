package dev.stagesim.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class DrawingTest {
    /** The formatter's digits, which are what places were written with before they had an arithmetic of their own. */
    @Test
    void placesHaveTheDigitsOfTheFormatter() {
        Random random = new Random(1);
        for (int i = 0; i < 200_000; i++) {
            double size = Math.pow(10, random.nextInt(14) - 4);
            same((random.nextDouble() - 0.5) * size);
            same((random.nextInt(200_001) - 100_000) / 100.0);
            same((random.nextInt(200_001) - 100_000) / 1000.0);
        }
        for (double value : new double[] {0, -0.0, -0.01, 0.04, 0.05, -0.05, 1e15, Double.NaN, 1 / 0.0}) {
            same(value);
        }
    }

    private static void same(double value) {
        String text = String.format(Locale.ROOT, "%.1f", value);
        assertThat(Drawing.num(value)).isEqualTo(text.endsWith(".0") ? text.substring(0, text.length() - 2) : text);
    }
}
