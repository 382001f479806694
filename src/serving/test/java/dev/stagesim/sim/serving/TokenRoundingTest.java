package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.TableTimes;
import dev.stagesim.sim.serving.spec.ServingSpec;
import org.junit.jupiter.api.Test;

/** Operator times are read for the exact number of tokens. Only the reference rounds it up to a multiple of 8. */
class TokenRoundingTest {
    /** Returns 1 ms per token in the feed-forward layer, and 0 otherwise. */
    private static OperatorTimes perToken() {
        TableTimes.Builder builder = TableTimes.builder(64);
        for (Operator operator : Operator.values()) {
            if (operator.key() == Operator.Key.TOKENS) {
                for (int tokens = 1; tokens <= 64; tokens++) {
                    builder.add(operator, tokens, tokens, operator == Operator.MLP_UP_PROJ ? tokens : 0.0);
                }
            }
        }
        return builder.add(Operator.ATTN_DECODE, 1, 64, 0, 1024, 0.0)
                .add(Operator.ATTN_PREFILL, 0, 1024, 1, 64, 0.0)
                .build();
    }

    private static double endOf(boolean quirks, int stages) {
        ServingSpec spec = ServingFixtures.spec(ServingFixtures.sarathi(8, 16, 100, 512), 1, stages, quirks);
        return ServingSimulator.run(
                        spec,
                        ServingFixtures.trace(ServingFixtures.request(0, 10, 2)),
                        perToken(),
                        new ServingFixtures.Log())
                .endSeconds();
    }

    @Test
    void usesExactTokensByDefault() {
        assertThat(endOf(false, 1)).isCloseTo((10 + 1) * 1e-3, within(1e-12));
        assertThat(endOf(false, 2)).isCloseTo(2 * (10 + 1) * 1e-3, within(1e-12));
    }

    @Test
    void roundsToMultiplesOfEightInReferenceMode() {
        assertThat(endOf(true, 1)).isCloseTo((16 + 8) * 1e-3, within(1e-12));
    }
}
