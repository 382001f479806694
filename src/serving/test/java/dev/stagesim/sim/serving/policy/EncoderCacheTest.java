package dev.stagesim.sim.serving.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvLayout;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.request.MediaItem;
import dev.stagesim.sim.serving.request.RequestSpec;
import dev.stagesim.sim.serving.request.Tokens;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EncoderCacheTest {
    private static LiveRequest request(int index, MediaItem... items) {
        RequestSpec spec = new RequestSpec(
                index,
                "r" + index,
                100,
                RequestSpec.Output.of(4),
                new RequestSpec.Urgency(0, index),
                new RequestSpec.Identity(Tokens.from(index * 1000L), 0, 0, true, List.of(items)));
        PagedBlocks cache = new PagedBlocks(KvLayout.single(KvGroup.full(4), 50, true, 200));
        return new LiveRequest(spec, cache.open(spec), false);
    }

    @Test
    void endsAChunkBeforeAnItemBeyondTheBudget() {
        EncoderCache cache = new EncoderCache(10);
        LiveRequest request = request(0, new MediaItem(1, 4, 6), new MediaItem(2, 20, 6));
        cache.beginStep();

        assertThat(cache.cut(request, 0, 4, 0)).isEqualTo(4);
        assertThat(cache.cut(request, 0, 30, 0)).isEqualTo(20);
        assertThat(cache.cut(request, 0, 30, 1)).isEqualTo(19);
        cache.take(request, 0, 20, 0);
        assertThat(cache.cut(request, 20, 10, 0)).as("room is taken").isZero();
        cache.releaseBefore(request, 10);
        assertThat(cache.cut(request, 20, 10, 0))
                .as("the budget of the step is spent")
                .isZero();
        cache.beginStep();
        assertThat(cache.cut(request, 20, 10, 0)).isEqualTo(10);
    }

    @Test
    void evictsTheOldestIdleItemsWhenRoomIsNeeded() {
        EncoderCache cache = new EncoderCache(10);
        LiveRequest first = request(0, new MediaItem(1, 0, 5));
        LiveRequest second = request(1, new MediaItem(2, 0, 5));
        cache.beginStep();
        cache.take(first, 0, 10, 0);
        cache.take(second, 0, 10, 0);
        cache.release(first);
        cache.release(second);
        cache.beginStep();
        LiveRequest third = request(2, new MediaItem(3, 0, 4));
        cache.take(third, 0, 10, 0);

        LiveRequest wantsBoth = request(3, new MediaItem(2, 0, 5), new MediaItem(1, 10, 5));
        assertThat(cache.cut(wantsBoth, 0, 20, 0))
                .as("2 is still present, 1 is removed and has no room")
                .isEqualTo(10);
    }
}
