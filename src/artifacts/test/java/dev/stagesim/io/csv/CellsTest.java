package dev.stagesim.io.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.doubles;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.longs;

import dev.stagesim.model.ShortestDouble;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class CellsTest {
    private static double number(String text) {
        byte[] bytes = ("," + text + ",").getBytes(StandardCharsets.US_ASCII);
        return Cells.toDouble(bytes, 1, bytes.length - 1);
    }

    @Test
    void readsEveryDoubleThatWasPrinted() {
        qt().forAll(doubles().any())
                .assuming(Double::isFinite)
                .check(value -> number(ShortestDouble.of(value)) == value);
    }

    @Test
    void parsesShortDecimalsLikeTheLibrary() {
        qt().forAll(
                        longs().between(-999_999_999_999_999L, 999_999_999_999_999L),
                        integers().between(0, 14))
                .check((digits, scale) -> {
                    String text = java.math.BigDecimal.valueOf(digits, scale).toPlainString();
                    return number(text) == Double.parseDouble(text);
                });
    }

    @Test
    void rejectsTextThatIsNoDecimal() {
        for (String text :
                new String[] {"", "-", ".", "1f", "0x1p3", "NaN", "Infinity", "1_0", " 1", "1e", "--1", "1-1"}) {
            assertThat(number(text)).as(text).isNaN();
        }
        assertThat(number("-0")).isEqualTo(-0.0);
        assertThat(number("12345678901234567890")).isEqualTo(Double.parseDouble("12345678901234567890"));
    }

    @Test
    void readsEveryLong() {
        qt().forAll(longs().all()).check(value -> {
            byte[] bytes = Long.toString(value).getBytes(StandardCharsets.US_ASCII);
            return Cells.isLong(bytes, 0, bytes.length) && Cells.toLong(bytes, 0, bytes.length) == value;
        });
    }
}
