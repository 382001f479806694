package dev.stagesim.sim.network.packet.random;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.network.packet.topology.TxTimes;
import org.junit.jupiter.api.Test;

final class RandomNumbersTest {
    @Test
    void matchesFirstNumbersOfLibraryGenerator() {
        CRandom random = new CRandom();
        assertThat(random.next()).isEqualTo(1804289383);
        assertThat(random.next()).isEqualTo(846930886);
        assertThat(random.next()).isEqualTo(1681692777);
    }

    @Test
    void drawsFirstNumberOfEachStream() {
        Mrg32k3a.Sequence sequence = new Mrg32k3a.Sequence(5);
        assertThat(sequence.draw()).isEqualTo(Mrg32k3a.stream(5).next());
        sequence.skip();
        sequence.skip();
        assertThat(sequence.draw()).isEqualTo(Mrg32k3a.stream(8).next());
        assertThat(sequence.used()).isEqualTo(9);
    }

    @Test
    void drawsFromWholeRange() {
        double high = Mrg32k3a.stream((1L << 63) + 50).next();
        assertThat(high).isBetween(0.0, 1.0).isNotEqualTo(Mrg32k3a.stream(50).next());
    }

    @Test
    void roundsHalfNanosecondsDown() {
        assertThat(TxTimes.of(1025, 400_000_000_000L)).isEqualTo(20);
        assertThat(TxTimes.of(1036, 400_000_000_000L)).isEqualTo(21);
        assertThat(new TxTimes(400_000_000_000L).of(48)).isEqualTo(1);
        assertThat(new TxTimes(2_400_000_000_000L).of(48)).isZero();
        assertThat(new TxTimes(1_000_000).of(1036)).isEqualTo(8_288_000);
    }
}
