package dev.stagesim.sim.serving.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class TieredBlocksTest {
    private static long[] text(long from, int count) {
        return LongStream.range(from, from + count).toArray();
    }

    @Test
    void findsWhatItHeldButLeavesOneTokenToCompute() {
        TieredBlocks blocks = new TieredBlocks(4, 8, 10, List.of(), true);
        blocks.know(1, text(0, 8), 8);
        assertThat(blocks.admit(1, 8).allocated().orElseThrow()).containsExactly(0, 1);
        blocks.release(1);
        assertThat(blocks.freeOrder()).endsWith(1, 0);
        assertThat(blocks.usedBytes()).isEqualTo(20);
        assertThat(blocks.admit(1, 4).deviceHit()).isEqualTo(4);
    }

    @Test
    void refusesWithoutChangingAnything() {
        TieredBlocks blocks = new TieredBlocks(4, 2, 10, List.of(), true);
        blocks.know(1, text(0, 12), 12);
        TieredBlocks.Admission refused = blocks.admit(1, 12);
        assertThat(refused.fits()).isFalse();
        assertThat(refused.allocated()).isEmpty();
        assertThat(blocks.freeBlocks()).isEqualTo(2);
        assertThat(blocks.admit(1, 4).allocated()).isPresent();
        assertThat(blocks.extend(1, 8, 12)).isEmpty();
    }

    @Test
    void recallsWholeCoarseBlocks() {
        TieredBlocks blocks = new TieredBlocks(4, 4, 10, List.of(new TieredBlocks.Tier(4, 2)), true);
        blocks.know(1, text(0, 12), 12);
        blocks.admit(1, 12);
        assertThat(blocks.writtenBytes()).isEqualTo(20);
        blocks.release(1);
        blocks.know(2, text(100, 16), 16);
        blocks.admit(2, 16);
        blocks.release(2);
        TieredBlocks.Admission again = blocks.admit(1, 4);
        assertThat(again.deviceHit()).isZero();
        assertThat(again.lowerHit()).isEqualTo(8);
        assertThat(blocks.recalledBytes()).isEqualTo(20);
    }

    @Test
    void refusesATierWithoutBlocks() {
        List<TieredBlocks.Tier> tiers = List.of(new TieredBlocks.Tier(0, 2));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TieredBlocks(4, 8, 10, tiers, true))
                .withMessage("a tier needs at least 1 block, got 0");
    }

    @Test
    void findsNothingInATierWhoseBlocksAreLongerThanAnyText() {
        TieredBlocks blocks = new TieredBlocks(16, 8, 10, List.of(new TieredBlocks.Tier(1, 1 << 28)), true);
        blocks.know(1, text(0, 64), 64);
        assertThat(blocks.admit(1, 64).lowerHit()).isZero();
        assertThat(blocks.writtenBytes()).isZero();
    }
}
