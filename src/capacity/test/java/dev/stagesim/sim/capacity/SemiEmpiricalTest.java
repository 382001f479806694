package dev.stagesim.sim.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class SemiEmpiricalTest {
    private static final AcceleratorCoefficients CARD = new AcceleratorCoefficients(
            new AcceleratorCard(
                    new AcceleratorCard.TokenRate(Optional.empty(), 1, 1.05, 0.4, 7.5),
                    new AcceleratorCard.UtilisationTerms(0.58, 0.12, 0.05, 0.1, 0.92),
                    new AcceleratorCard.OverheadTerms(0.11, 0.02, 0.015, 0.6, Map.of("IB", 1.0), 0.05, 0.45, 0.02),
                    new AcceleratorCard.LatencyTerms(4, Optional.empty(), 0.7, 1.45, 2.1, 0.18, 0.75),
                    new AcceleratorCard.BandwidthTerms(0.4, 0.45, 8192, 0.82),
                    0.001,
                    new AcceleratorCard.JitterTerms(0.025, 0.5),
                    0.28),
            1100,
            900,
            0.4,
            0.6);
    private static final CapacityNode NODE = new CapacityNode(12, 40, 6100);
    private static final CapacityKnobs PLAIN = new CapacityKnobs(1, false, false, false, 1.0);

    private static CapacityJob job(boolean inference, long tp, long dp) {
        return new CapacityJob(inference, 1024, inference ? 256 : 0, inference, tp, 1, dp, 4096, 32);
    }

    @Test
    void equalsASmallTrainingJobComputedByHand() {
        CapacityFigures figures = SemiEmpirical.jittered(CARD, NODE, job(false, 2, 4), PLAIN, BigInteger.ONE);
        assertThat(figures.tokensPerSecond()).isEqualTo(3841.021425986386);
        assertThat(figures.stepMs()).isEqualTo(1066.38301267693);
        assertThat(figures.flopUtilization()).isEqualTo(0.5498399999999999);
        assertThat(figures.commComputeRatio()).isEqualTo(0.11504424778761063);
        assertThat(figures.memoryUtilization()).isEqualTo(0.45625000000000004);
        assertThat(figures.nodeWatts()).isEqualTo(4562.8);
        assertThat(EnergyCost.perThousandTokens(31.5, figures.nodeWatts(), 1.11, figures.tokensPerSecond()))
                .isEqualTo(0.0023219926709233648);
    }

    @Test
    void neverImprovesWithMoreDevicesPerLayer() {
        qt().forAll(integers().between(1, 63), integers().between(0, 1)).checkAssert((tp, mode) -> {
            CapacityFigures few = SemiEmpirical.steady(CARD, NODE, job(mode == 1, tp, 1), PLAIN);
            CapacityFigures more = SemiEmpirical.steady(CARD, NODE, job(mode == 1, tp + 1, 1), PLAIN);
            assertThat(more.tokensPerSecond()).isLessThanOrEqualTo(few.tokensPerSecond());
            assertThat(more.p99Ms()).isGreaterThanOrEqualTo(few.p99Ms());
        });
    }

    @Test
    void raisesThroughputWithAcceleratorsWithinTheJitter() {
        qt().forAll(integers().between(1, 1000), integers().all()).checkAssert((count, seed) -> {
            CapacityNode node = new CapacityNode(count, 40, 6100);
            double steady =
                    SemiEmpirical.steady(CARD, node, job(false, 1, 1), PLAIN).tokensPerSecond();
            double drawn = SemiEmpirical.jittered(CARD, node, job(false, 1, 1), PLAIN, BigInteger.valueOf(seed))
                    .tokensPerSecond();
            assertThat(Math.abs(drawn / steady - 1)).isLessThanOrEqualTo(0.0125 + 1e-12);
            CapacityNode bigger = new CapacityNode(count + 1, 40, 6100);
            assertThat(SemiEmpirical.steady(CARD, bigger, job(false, 1, 1), PLAIN)
                            .tokensPerSecond())
                    .isGreaterThan(steady);
        });
    }

    @Test
    void raisesWaitingWithTheRateAndLowersItWithServers() {
        CapacityFigures service = SemiEmpirical.steady(CARD, NODE, job(true, 2, 4), PLAIN);
        qt().forAll(integers().between(1, 300), integers().between(2, 20)).checkAssert((tenths, servers) -> {
            double slow = wait(service, tenths / 1000.0, servers);
            assertThat(wait(service, (tenths + 1) / 1000.0, servers)).isGreaterThanOrEqualTo(slow);
            assertThat(wait(service, tenths / 1000.0, servers + 1)).isLessThanOrEqualTo(slow);
        });
    }

    private static double wait(CapacityFigures service, double rate, long servers) {
        return Queueing.of(new Queueing.Demand(1280, rate, QueueProfile.PEAK, servers, 1.2, 0.9), service)
                .orElseThrow()
                .waits()
                .p99Ms();
    }
}
