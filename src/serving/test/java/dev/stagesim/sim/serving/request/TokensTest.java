package dev.stagesim.sim.serving.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class TokensTest {
    /** Compares with a token-wise comparison of texts with different runs. */
    @Test
    void countsCommonTokensOfTwoTexts() {
        SplittableRandom random = new SplittableRandom(9);
        for (int round = 0; round < 5_000; round++) {
            Tokens a = text(random);
            Tokens b = text(random);
            int from = random.nextInt(12);
            int otherFrom = random.nextInt(12);
            int limit = random.nextInt(40);
            int same = 0;
            while (same < limit && a.at(from + same) == b.at(otherFrom + same)) {
                same++;
            }
            assertThat(a.common(from, b, otherFrom, limit)).isEqualTo(same);
        }
    }

    private static Tokens text(SplittableRandom random) {
        Tokens.Builder builder = new Tokens.Builder();
        for (int i = random.nextInt(5); i > 0; i--) {
            builder.run(
                    random.nextInt(2) * 100L + (random.nextBoolean() ? builder.length() : 0), 1 + random.nextInt(6));
        }
        return builder.then(builder.length());
    }
}
