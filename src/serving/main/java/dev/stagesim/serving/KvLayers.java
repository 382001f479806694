package dev.stagesim.serving;

import dev.stagesim.model.card.LayerPattern;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvLayout;
import dev.stagesim.sim.serving.memory.LayerCache;
import java.util.ArrayList;
import java.util.List;

/**
 * KV-cache specification of each layer on a device, as in vLLM.
 *
 * @param block tokens of a block
 * @param keepsStates whether states are cached at block boundaries for prefix caching
 * @param drafts draft tokens of a step, each with a separate state
 * @param tensor tensor parallelism
 * @param longest longest sequence
 */
record KvLayers(ModelCard model, int block, boolean keepsStates, int drafts, int tensor, int longest) {
    /** Granularity of the block size of attention kernels. */
    private static final int KERNEL_BLOCK = 16;

    /** Width of the convolution before a state, in tokens. */
    private static final int CONVOLVED = 3;

    private static final int STATE_BYTES = 2;

    /**
     * Returns the layers in order, followed by {@code draftLayers} layers of full attention for the cache of drafts; empty if
     * all layers have full attention of equal shape, which needs no groups.
     *
     * @param usesWindows whether blocks outside the attention window are freed
     */
    List<LayerCache> list(boolean usesWindows, int draftLayers) {
        if (!model.sparse().compressRatios().isEmpty()) {
            return compressed(draftLayers);
        }
        LayerPattern pattern = LayerPattern.of(model);
        int states = model.hybrid().stateLayers().orElse(0);
        boolean isFull = !usesWindows
                || pattern.windowed() == 0
                || (pattern.windowed() == pattern.period()
                        && model.window().slidingWindow().orElseThrow() >= longest);
        if (states == 0 && isFull) {
            return List.of();
        }
        int attention = ModelSize.attentionLayers(model);
        int size = states == 0 ? block : Math.max(block, statesBlock());
        long full = Math.round(size * tokenBytes());
        long windowed = Math.round(size * windowTokenBytes());
        List<LayerCache> layers = new ArrayList<>();
        int count = attention + states;
        int done = 0;
        for (int i = 0; i < count; i++) {
            if ((long) (i + 1) * attention / count > done) {
                boolean isWindowed = pattern.isWindowed(done);
                KvGroup group = isFull || !isWindowed ? KvGroup.full(size) : window(pattern, size);
                layers.add(new LayerCache(group, isWindowed ? windowed : full));
                done++;
            } else {
                layers.add(new LayerCache(state(size), full));
            }
        }
        for (int i = 0; i < draftLayers; i++) {
            layers.add(new LayerCache(KvGroup.full(size), full));
        }
        return layers;
    }

    /**
     * Returns a window for each layer, and for compressed layers entries of the whole context; all share pages of the widest
     * entry.
     */
    private List<LayerCache> compressed(int draftLayers) {
        LayerPattern pattern = LayerPattern.of(model);
        long page = Math.round(block * (tokenBytes() + ModelSize.indexBytes(model)));
        List<LayerCache> layers = new ArrayList<>();
        for (int ratio : model.sparse().compressRatios()) {
            layers.add(new LayerCache(window(pattern, block), page));
            if (ratio > 0) {
                layers.add(new LayerCache(KvGroup.full(Math.multiplyExact(block, ratio)), page));
            }
        }
        for (int i = 0; i < draftLayers; i++) {
            layers.add(new LayerCache(KvGroup.full(block), page));
        }
        return layers;
    }

    private KvGroup window(LayerPattern pattern, int size) {
        KvGroup.Kind kind = pattern.isChunked() ? KvGroup.Kind.CHUNKED_LOCAL : KvGroup.Kind.SLIDING_WINDOW;
        return new KvGroup(kind, size, model.window().slidingWindow().orElseThrow(), KvGroup.States.NONE, 0, false, 0);
    }

    private KvGroup state(int size) {
        KvGroup.States kept = keepsStates ? KvGroup.States.ALIGN : KvGroup.States.NONE;
        return new KvGroup(KvGroup.Kind.MAMBA, keepsStates ? size : Math.max(size, longest), 0, kept, drafts, false, 1);
    }

    /** Returns the block size for which a block of attention has at least the bytes of a state. */
    private int statesBlock() {
        double width = model.hybrid().stateDim().orElse(0);
        double convolution = CONVOLVED * (width + model.hybrid().stateGroupDim().orElse(0));
        double bytes = STATE_BYTES * (width * model.hybrid().stateSize().orElse(0) + convolution) / tensor;
        return KERNEL_BLOCK * KvLayout.ceilDiv((int) Math.ceil(bytes / tokenBytes()), KERNEL_BLOCK);
    }

    private double tokenBytes() {
        double values = ModelSize.kvValues(model) * model.cacheBytes();
        return model.isLatentAttention() ? values : held(values, model.shape().numKvHeads());
    }

    private double windowTokenBytes() {
        return ModelSize.hasOwnWindowShape(model)
                ? held(ModelSize.windowKvValues(model) * model.cacheBytes(), ModelSize.windowKvHeads(model))
                : tokenBytes();
    }

    private double held(double values, int heads) {
        return values / heads * KvLayout.ceilDiv(heads, tensor);
    }
}
