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
        // One shot: seven devices send 16 KiB at 62 % of 450 GB/s. vLLM 0.24 needs 5.2 us, SGLang 0.5.14 3.7 us.
        double oneShot = 0.1 * 6 + 7 * 16384 / (450e3 * 0.62);
        assertThat(links.allReduce(16 << 10, 8)).isCloseTo(4.4 + oneShot, within(1e-9));
        assertThat(new Links(CardFiles.hardware("h100"), true).allReduce(16 << 10, 8))
                .isCloseTo(2.7 + oneShot, within(1e-9));
        // Two shots of 1 MiB: 7 / 4 of the bytes at 67 %.
        assertThat(links.allReduce(1 << 20, 8))
                .isCloseTo(4.4 + 0.1 * 6 + 4.4 + 1.75 * (1 << 20) / (450e3 * 0.67), within(1e-9));
        // The library's ring of 14 steps.
        double transfer = 1.75 * 1e9 / 450e3;
        assertThat(links.allReduce(1e9, 8))
                .isCloseTo(4.4 + 14 * 0.84 + 3.8 * Math.sqrt(transfer) + transfer / 0.79, within(1e-6));
        assertThat(links.allGather(1e9, 8))
                .isCloseTo(4.4 + 7 * 0.84 + 3.8 * Math.sqrt(transfer / 2) + transfer / 2 / 0.79, within(1e-6));
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
    void usesTheLibraryWithoutKernelsOfEngines() {
        Links links = new Links(CardFiles.hardware("l40s"));
        assertThat(links.allReduce(0, 2)).isCloseTo(7, within(1e-9));
        assertThat(links.allReduce(0, 8)).isCloseTo(25, within(1e-9));
        assertThat(links.allReduce(1e9, 8)).isCloseTo(25 + 1.75e9 / (31e3 * 0.55), within(1e-6));
        assertThat(links.libraryAllToAll(1e9, 8)).isCloseTo(8.5 + 0.875e9 / (31e3 * 0.55), within(1e-6));
    }
}
