package dev.stagesim.sim.serving.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.kernels.ContextSharding;
import dev.stagesim.sim.serving.ServingFixtures;
import dev.stagesim.sim.serving.VllmFixtures;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.LayerCache;
import dev.stagesim.sim.serving.policy.Acceptance;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Without the bugs of the reference, the number of blocks is the free memory divided by the block size. */
class MemoryPlanTest {
    /** 1 GiB for weights and KV cache together. */
    private static final double MEMORY_GIB = 1;

    private static final long GIB = 1L << 30;

    /** 4 layers, 4 query and 2 KV heads of width 64. */
    private static final ModelShape SHAPE = new ModelShape(4, 4, 2, 256, 64, 512, true, true);

    /** 2^27 parameters (256 MiB), 2048 B of KV cache per token: 4 layers x 2 heads x 64 x (key, value) x 2 B. */
    private static final Footprint SIZE = new Footprint(1L << 27, 1L << 27, 2048, 1L << 28, true);

    private static ServingSpec spec(int tp, int stages, int maxTokens, SchedulerSpec scheduler, boolean quirks) {
        return new ServingSpec(
                SHAPE,
                Optional.of(SIZE),
                new ClusterSpec(1, tp, stages, MEMORY_GIB, 312, 0, GlobalPolicy.ROUND_ROBIN, 42),
                scheduler,
                TimingSpec.DEFAULT,
                maxTokens,
                0,
                quirks ? VidurQuirk.VIDUR : VidurQuirk.NONE);
    }

    private static MemoryPlan plan(int tp, int stages, int maxTokens) {
        return MemoryPlan.of(spec(tp, stages, maxTokens, ServingFixtures.sarathi(64, 16, 0, 512), false));
    }

    @Test
    void dividesFreeBytesIntoBlocks() {
        MemoryPlan plan = plan(1, 1, 1000);
        assertThat(plan.numBlocks()).isEqualTo((GIB - (1L << 28)) / (16 * 2048));
        assertThat(plan.blocksPerSequence()).isEqualTo(63);
        assertThat(plan.requestSlots()).isEqualTo(plan.numBlocks() / 63);
    }

    @Test
    void assignsOneBlockToShortRequests() {
        MemoryPlan plan = plan(1, 1, 12);
        assertThat(plan.blocksPerSequence()).isEqualTo(1);
        assertThat(plan.numBlocks()).isEqualTo(plan(1, 1, 1000).numBlocks());
        MemoryPlan reference = MemoryPlan.of(spec(1, 1, 12, ServingFixtures.sarathi(64, 16, 0, 512), true));
        assertThat(reference.numBlocks()).isZero();
    }

    @Test
    void dividesWeightsAndHeadsByTensorParallelism() {
        assertThat(plan(2, 1, 1000).numBlocks()).isEqualTo((GIB - (1L << 27)) / (16 * 1024));
        assertThat(plan(4, 1, 1000).numBlocks()).isEqualTo((GIB - (1L << 26)) / (16 * 1024));
    }

    @Test
    void dividesWeightsAndLayersByPipelineStages() {
        MemoryPlan plan = plan(1, 2, 1000);
        assertThat(plan.numBlocks()).isEqualTo((GIB - (1L << 27)) / (16 * 1024));
        assertThat(plan.requestSlots()).isEqualTo(plan.numBlocks() / 63);
        assertThat(plan.maxBatchFromMemory()).isEqualTo(plan.requestSlots() / 2);
    }

    @Test
    void rejectsASequenceBeyondMemory() {
        int max = (int) plan(1, 1, 16).numBlocks() * 16;
        assertThat(plan(1, 1, max).requestSlots()).isEqualTo(1);
        assertThatThrownBy(() -> plan(1, 1, max + 1))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("not enough memory for a single request");
    }

    @Test
    void computesTheWatermarkAsAShareOfBlocks() {
        SchedulerSpec scheduler = new SchedulerSpec.Sarathi(ServingFixtures.limits(64, 16, 0.01, 5000), 512);
        assertThat(MemoryPlan.of(spec(1, 1, 1000, scheduler, false)).watermarkBlocks())
                .isEqualTo(50);
        assertThat(MemoryPlan.of(spec(1, 1, 1000, ServingFixtures.sarathi(64, 16, 0, 512), false))
                        .watermarkBlocks())
                .isZero();
    }

    /** The reference counts two bytes per parameter, and the sequences of every pipeline stage. */
    @Test
    void plansWholeSequencesInReferenceMode() {
        ServingSpec spec = spec(1, 2, 1000, ServingFixtures.sarathi(64, 16, 0, 512), true);
        MemoryPlan plan = MemoryPlan.of(spec);
        long fits = (GIB - 2 * spec.parametersPerDevice()) / (1000 * 2048);
        assertThat(plan.maxBatchFromMemory()).isEqualTo(fits);
        assertThat(plan.requestSlots()).isEqualTo(2 * fits);
        assertThat(plan.numBlocks()).isEqualTo(2 * fits * (1000 / 16));
    }

    @Test
    void usesTheShareOfTheMemory() {
        SchedulerSpec.VllmV1 all = (SchedulerSpec.VllmV1) engine(0, List.of());
        SchedulerSpec half =
                KeyRecord.with(SchedulerSpec.VllmV1.class, all, Map.of("share", new SchedulerSpec.Share(0.5, false)));
        assertThat(MemoryPlan.of(spec(1, 1, 1000, half, false)).numBlocks())
                .isEqualTo((GIB / 2 - (1L << 28)) / (16 * 2048));
    }

    @Test
    void sharesFreeMemoryBetweenGroupsOfLayers() {
        int page = 16 * 1024;
        List<LayerCache> mixed =
                List.of(new LayerCache(KvGroup.full(16), page), new LayerCache(KvGroup.sliding(16, 128), page));
        for (int stages : new int[] {1, 2}) {
            ServingSpec spec = spec(1, stages, 1000, engine(stages, 0, mixed), false);
            MemoryPlan plan = MemoryPlan.of(spec);
            assertThat(plan.numBlocks()).isEqualTo((GIB - spec.weightBytesPerDevice()) / page);
            // a decoding sequence: 63 blocks of the context, 8 or 9 of the window and the tokens in flight, and a
            // partial one
            assertThat(MemoryPlan.demand(spec).heldBlocks()).isEqualTo(63 + 8 + stages);
            assertThat(plan.requestSlots())
                    .isEqualTo(1 + (plan.numBlocks() - plan.blocksPerSequence()) / (71 + stages))
                    .isGreaterThan(plan.numBlocks() / plan.blocksPerSequence());
            assertThat(plan.maxBatchFromMemory()).isEqualTo(plan.requestSlots() / stages);
            assertThat(plan.kvBytesPerRequest()).isEqualTo((long) page * plan.blocksPerSequence());
        }
    }

    /** With context parallelism, a block has the same bytes per device, and its tokens are spread over all ranks. */
    @Test
    void storesAContextOnceWithContextParallelism() {
        SchedulerSpec.VllmV1 whole = (SchedulerSpec.VllmV1) engine(0, List.of());
        long tokens = 16 * MemoryPlan.of(spec(2, 1, 1000, whole, false)).numBlocks();
        for (int ranks : new int[] {2, 3, 8}) {
            SchedulerSpec.VllmV1 spread = KeyRecord.with(
                    SchedulerSpec.VllmV1.class,
                    whole,
                    Map.of("contextSharding", new ContextSharding(ranks, 1, 1), "blockSize", 16 * ranks));
            ServingSpec spec = spec(2, 1, 1000, spread, false);
            MemoryPlan plan = MemoryPlan.of(spec);
            assertThat(16L * ranks * plan.numBlocks()).isEqualTo(ranks * tokens);
            assertThat(plan.blocksPerSequence()).isEqualTo((1000 + 16 * ranks - 1) / (16 * ranks));
            assertThat(spec.heldKvBytesPerToken()).isCloseTo(2048.0 / ranks, within(1e-9));
        }
    }

    /** Returns an engine that uses all memory, with a number of adapter slots of 1 MiB. */
    private static SchedulerSpec engine(int slots, List<LayerCache> layers) {
        return engine(1, slots, layers);
    }

    private static SchedulerSpec engine(int stages, int slots, List<LayerCache> layers) {
        return VllmFixtures.engine(
                VllmFixtures.settings(8, 512, Map.of("pipelineStages", stages, "maxLoras", slots)),
                0,
                Map.of(
                        "share",
                        new SchedulerSpec.Share(1, false),
                        "acceptance",
                        Acceptance.of(List.of()),
                        "lora",
                        new SchedulerSpec.Lora(slots, 1 << 20, 0, 0),
                        "layers",
                        layers));
    }

    /**
     * Weights use 256 MiB of 1 GiB, the peak 128 MiB and 4 slots 4 MiB. The cache gets its share of the remaining 636
     * MiB.
     */
    @Test
    void usesAShareOfTheMemoryAfterWeightsAndSteps() {
        for (double share : List.of(0.9, 0.5, 1.0)) {
            SchedulerSpec.VllmV1 free = KeyRecord.with(
                    SchedulerSpec.VllmV1.class,
                    (SchedulerSpec.VllmV1) engine(4, List.of()),
                    Map.of("share", new SchedulerSpec.Share(share, true), "profiledBytes", 128L << 20));
            long cache = (long) Math.floor(share * (636L << 20));
            assertThat(MemoryPlan.of(spec(1, 1, 1000, free, false)).numBlocks()).isEqualTo(cache / (16 * 2048));
            assertThat(free.memory().orElseThrow().key()).isEqualTo("free_gpu_memory_fraction");
        }
    }

    @Test
    void namesAdapterSlotsThatFillTheMemory() {
        long block = 16 * 2048;
        int inSlot = (1 << 20) / (int) block;
        List<LayerCache> mixed = List.of(
                new LayerCache(KvGroup.full(16), (int) block / 2),
                new LayerCache(KvGroup.sliding(16, 128), (int) block / 2));
        for (List<LayerCache> layers : List.of(List.<LayerCache>of(), mixed)) {
            MemoryPlan none = MemoryPlan.of(spec(1, 1, 1000, engine(0, layers), false));
            MemoryPlan some = MemoryPlan.of(spec(1, 1, 1000, engine(10, layers), false));
            assertThat(none.numBlocks() - some.numBlocks())
                    .isEqualTo(layers.isEmpty() ? 10L * inSlot : 10L * inSlot * 2);
            assertThatThrownBy(() -> MemoryPlan.of(spec(1, 1, 1000, engine(768, layers), false)))
                    .hasMessageContaining("1.0 GiB with gpu_memory_utilization=1, slots of LoRA adapters 0.8"
                            + " GiB, weights 0.3 GiB")
                    .hasMessageContaining("scheduler.max_loras")
                    .hasMessageNotContaining("margin");
        }
        assertThatThrownBy(() -> MemoryPlan.of(spec(1, 1, 1 << 20, engine(1, List.of()), false)))
                .as("too long also without adapters")
                .hasMessageContaining("raise scheduler.gpu_memory_utilization")
                .hasMessageNotContaining("max_loras");
    }
}
