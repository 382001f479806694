package dev.stagesim.sim.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.sim.core.Mt19937;
import org.junit.jupiter.api.Test;

class VidurLengthsTest {
    /** The first requests of a run of Vidur: uniform 128 to 4096, ratio 8, seed 42, all arrivals at 0. */
    @Test
    void matchesSumsOfVidurThatAreATokenShort() {
        LengthSource lengths = VidurLengths.uniform(Mt19937.pythonSeed(42), 128, 4096, 8.0);
        lengths.next();
        double total = 128 + 3968 * 0.6394267984578837;
        assertThat(lengths.decode()).isEqualTo((int) Math.ceil(total / 9));
        assertThat(lengths.prefill() + lengths.decode()).isEqualTo((int) total);
    }

    @Test
    void roundsBothLossesUpWithAProportionalCap() {
        int[] prefill = {3772, 10, 1};
        int[] decode = {54, 10, 3000};
        VidurLengths.capInProportion(prefill, decode, 1024);
        assertThat(prefill).containsExactly(1009, 10, 1);
        assertThat(decode).containsExactly(14, 10, 1023);
    }

    @Test
    void allowsPromptsBelowOneAfterACap() {
        int[] prefill = {100, 0};
        int[] decode = {60, 0};
        VidurLengths.capPrompt(prefill, decode, 50);
        assertThat(prefill).containsExactly(-10, 1);
        assertThat(decode).containsExactly(60, 1);
    }

    @Test
    void truncatesFractionsWhenScaling() {
        int[] lengths = {3, 10};
        VidurLengths.scale(lengths, 1.3);
        assertThat(lengths).containsExactly(3, 13);
    }

    @Test
    void dividesByZeroWithThetaOne() {
        assertThatThrownBy(() -> VidurLengths.zipf(Mt19937.numpySeed(1), 1, 9, 1.0, 1))
                .hasMessageContaining("theta");
    }
}
