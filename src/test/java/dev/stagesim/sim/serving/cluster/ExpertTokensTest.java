package dev.stagesim.sim.serving.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class ExpertTokensTest {
    @Test
    void losesNoTokenOnTheWay() {
        for (int tokens = 0; tokens < 50; tokens++) {
            assertThat(Arrays.stream(ExpertTokens.sources(tokens, 7)).sum()).isEqualTo(tokens);
            assertThat(Arrays.stream(ExpertTokens.roundRobin(tokens, 3, 11)).sum())
                    .isEqualTo(3 * tokens);
        }
    }

    @Test
    void givesOneRankEverything() {
        assertThat(ExpertTokens.balanced(9, 2, 8, 1)).isEqualTo(new ExpertTokens.Rank(9, 8));
    }

    @Test
    void roundsHalvesToEven() {
        // 5 x 1 / 2 = 2.5 experts, and 5 x (1 - 1/2) = 2.5 tokens
        assertThat(ExpertTokens.balanced(5, 1, 16, 2)).isEqualTo(new ExpertTokens.Rank(2, 2));
        assertThat(ExpertTokens.balanced(7, 1, 16, 2)).isEqualTo(new ExpertTokens.Rank(4, 4));
    }

    @Test
    void picksNoExpertTwiceAndLeavesNoRankWithoutOne() {
        assertThat(ExpertTokens.roundRobin(2, 8, 3)).containsExactly(2, 2, 2);
        assertThat(ExpertTokens.balanced(9, 8, 4, 1)).isEqualTo(new ExpertTokens.Rank(9, 4));
        assertThat(ExpertTokens.balanced(64, 1, 4, 8).experts()).isEqualTo(1);
    }
}
