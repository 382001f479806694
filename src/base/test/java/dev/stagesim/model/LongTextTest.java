package dev.stagesim.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class LongTextTest {
    @Test
    void printsEveryMagnitude() {
        long power = 1;
        for (int i = 0; i < 19; i++) {
            check(power);
            check(power - 1);
            check(-power);
            check(power + 1);
            power *= 10;
        }
        check(Long.MAX_VALUE);
        check(Long.MIN_VALUE);
        check(Integer.MAX_VALUE);
        check(Integer.MAX_VALUE + 1L);
    }

    @Test
    void agreesWithTheLibrary() {
        qt().forAll(longs().all()).check(value -> text(value).equals(Long.toString(value)));
    }

    private static void check(long value) {
        assertThat(text(value)).isEqualTo(Long.toString(value));
    }

    private static String text(long value) {
        byte[] out = new byte[LongText.MAX_LENGTH + 1];
        int end = LongText.write(value, out, 1);
        return new String(out, 1, end - 1, StandardCharsets.ISO_8859_1);
    }
}
