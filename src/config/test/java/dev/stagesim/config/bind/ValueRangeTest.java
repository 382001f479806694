package dev.stagesim.config.bind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.KeyText;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ValueRangeTest {
    /** Decimal limits are rounded to a double, half of the time to one beyond the limit. */
    @Test
    void acceptsTheDocumentedLimit() {
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 20_000; i++) {
            String bound = random.nextInt(1, 10_000) + "e" + random.nextInt(-12, 12);
            double value = Double.parseDouble(bound);
            ValueRange from = ValueRange.of(new KeyText("", null, "", bound, false, ""), false);
            ValueRange above = ValueRange.of(new KeyText("", null, "", bound, true, ""), false);
            ValueRange to = ValueRange.of(new KeyText("", null, "", "", false, bound), false);
            assertThat(from.allows(value) && to.allows(value)).as(bound).isTrue();
            assertThat(from.allows(Math.nextDown(value)) || to.allows(Math.nextUp(value)))
                    .as(bound)
                    .isFalse();
            assertThat(above.allows(value)).as(bound).isFalse();
            assertThat(above.allows(Math.nextUp(value))).as(bound).isTrue();
        }
        ValueRange none = ValueRange.of(new KeyText("", null, "", "0", true, ""), false);
        assertThat(none.allows(Double.POSITIVE_INFINITY)).isTrue();
        assertThat(none.allows(Double.NEGATIVE_INFINITY)).isFalse();
    }
}
