package dev.stagesim.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class DrawingTest {
    /** Compares with the digits of {@code String.format}. */
    @Test
    void writesCoordinatesWithTheDigitsOfTheFormatter() {
        compareDigits(10_000);
    }

    @Test
    @Tag("long")
    void writesManyCoordinatesWithTheDigitsOfTheFormatter() {
        compareDigits(200_000);
    }

    private static void compareDigits(int draws) {
        Random random = new Random(1);
        for (int i = 0; i < draws; i++) {
            double size = Math.pow(10, random.nextInt(14) - 4);
            same((random.nextDouble() - 0.5) * size);
            same((random.nextInt(200_001) - 100_000) / 100.0);
            same((random.nextInt(200_001) - 100_000) / 1000.0);
            double share = random.nextBoolean() ? random.nextDouble() : random.nextInt(20_001) / 20_000.0;
            assertThat(Drawing.rounded(share, 3)).isEqualTo(plain(share, 3));
        }
        for (double value : new double[] {0, -0.0, -0.01, 0.04, 0.05, -0.05, 1e15, Double.NaN, 1 / 0.0}) {
            same(value);
        }
    }

    private static void same(double value) {
        assertThat(Drawing.num(value)).isEqualTo(plain(value, 1));
    }

    private static String plain(double value, int decimals) {
        return String.format(Locale.ROOT, "%." + decimals + "f", value).replaceAll("\\.?0+$", "");
    }
}
