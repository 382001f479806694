package dev.stagesim.sim.serving.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KvSizingTest {
    private static final long GIB = 1L << 30;

    private static List<LayerCache> layers(int count, KvGroup group, long page) {
        return Collections.nCopies(count, new LayerCache(group, page));
    }

    private static KvSizing.Settings settings(int length, int stages) {
        return new KvSizing.Settings(length, 8192, stages, false, 0);
    }

    @Test
    void limitsBlocksByTheSmallestStage() {
        long page = LayerCache.attentionPage(16, 8, 128, 128, 2);
        List<LayerCache> model = layers(30, KvGroup.full(16), page);

        KvSizing one = KvSizing.of(model, new long[] {10 * GIB}, settings(4096, 1));
        KvSizing split = KvSizing.of(model, new long[] {10 * GIB, 10 * GIB, 10 * GIB, 10 * GIB}, settings(4096, 4));

        assertThat(one.blocks()).isEqualTo(10 * GIB / (30 * page));
        // 30 layers on four stages: 7, 8, 8, 7.
        assertThat(split.layers().get(0)).hasSize(7);
        assertThat(split.blocks()).isEqualTo(10 * GIB / (8 * page));
    }

    @Test
    void rejectsCachesSmallerThanTheLongestRequest() {
        List<LayerCache> model = layers(32, KvGroup.full(16), 65536);
        long[] little = {GIB};

        assertThatThrownBy(() -> KvSizing.of(model, little, settings(131_072, 1)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("a request of 131072 tokens needs")
                .hasMessageContaining("gpu_memory_utilization");
        assertThat(KvSizing.of(model, little, settings(8192, 1)).concurrency()).isEqualTo(1.0);
        assertThatThrownBy(() -> KvSizing.of(model, little, settings(8193, 1))).isInstanceOf(StageException.class);
    }

    @Test
    void rejectsPagesWithoutACommonMultiple() {
        List<LayerCache> model =
                List.of(new LayerCache(KvGroup.full(16), 48_000), new LayerCache(KvGroup.sliding(16, 128), 65_536));
        assertThatThrownBy(() -> KvSizing.of(model, new long[] {GIB}, settings(1024, 1)))
                .hasMessageContaining("48000")
                .hasMessageContaining("not a multiple");
    }

    @Test
    void countsWindowsInFullWhenIgnored() {
        List<LayerCache> model =
                List.of(new LayerCache(KvGroup.full(16), 65_536), new LayerCache(KvGroup.sliding(16, 128), 65_536));
        KvSizing mixed = KvSizing.of(model, new long[] {GIB}, settings(4096, 1));
        KvSizing full = KvSizing.of(model, new long[] {GIB}, new KvSizing.Settings(4096, 8192, 1, true, 0));

        assertThat(mixed.groups()).hasSize(2);
        assertThat(full.groups()).hasSize(1);
        assertThat(full.bytesPerBlock()).isEqualTo(2 * mixed.bytesPerBlock());
    }
}
