package dev.stagesim.sim.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.card.CardFiles;
import org.junit.jupiter.api.Test;

final class LinksTest {
    @Test
    void addsLatencyAndRingTimeOfASwitch() {
        Links links = new Links(CardFiles.hardware("h100"));
        assertThat(links.allReduce(1e6, 1)).isZero();
        assertThat(links.allReduce(16 << 10, 8)).isBetween(6.0, 8.0);
        assertThat(links.allReduce(1e9, 8)).isCloseTo(6.9 + 1.75 * 1e9 / (450e3 * 0.7), within(1.0));
        assertThat(links.allGather(1e9, 8)).isCloseTo(links.allReduce(1e9, 8) / 2, within(5.0));
    }

    @Test
    void addsTheNetworkBeyondANode() {
        Links links = new Links(CardFiles.hardware("h100"));
        double within = links.allReduce(1e9, 8);
        double across = links.allReduce(1e9, 16);
        // An eighth of the data crosses to the second node over each device's 400 Gbit/s.
        assertThat(across - within).isCloseTo(10 + 1e9 / 8 / (50e3 * 0.7), within(1.0));
        assertThat(links.canLink(16)).isTrue();
        assertThat(new Links(CardFiles.hardware("rtx_4090")).canLink(16)).isFalse();
    }

    @Test
    void interpolatesRowsAndKeepsTheOutermost() {
        Links links = new Links(CardFiles.hardware("l40s"));
        assertThat(links.allReduce(0, 2)).isCloseTo(7, within(1e-9));
        assertThat(links.allReduce(0, 6)).isCloseTo(18.5, within(1e-9));
        assertThat(links.allReduce(0, 8)).isCloseTo(25, within(1e-9));
    }
}
