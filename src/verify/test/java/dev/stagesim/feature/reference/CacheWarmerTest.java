package dev.stagesim.feature.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CacheWarmerTest {
    @Test
    void doesNotChangeWeights() {
        Weights weights = new Weights(Shapes.GATED, 5);
        CacheWarmer cacheWarmer = new CacheWarmer(weights);
        for (int i = 0; i < 1000; i++) {
            cacheWarmer.next();
        }
        Weights same = new Weights(Shapes.GATED, 5);
        assertThat(weights.head).isDeepEqualTo(same.head);
        for (int layer = 0; layer < weights.layers.length; layer++) {
            assertThat(weights.layers[layer].down()).isDeepEqualTo(same.layers[layer].down());
            assertThat(weights.layers[layer].qkv()).isDeepEqualTo(same.layers[layer].qkv());
        }
    }

    @Test
    void readsWeightsWhenEngineIsIdle() {
        AtomicInteger rows = new AtomicInteger();
        EngineClock clocks = EngineClock.monotonic();
        clocks.await(0, rows::incrementAndGet);
        assertThat(rows.get()).as("nothing to wait for").isZero();
        while (rows.get() == 0) { // On a busy machine, a millisecond may pass between two readings of the clock.
            clocks.await(clocks.now() + 1_000_000, rows::incrementAndGet);
        }
    }
}
