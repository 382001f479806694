package dev.stagesim.sim.systolic.order;

import dev.stagesim.sim.systolic.spec.LayerShape;

/**
 * Kept weights of a filter: the first {@code kept} of every {@code block}.
 *
 * @param taps weights of the dense filter
 * @param kept weights kept per block
 * @param block block size
 */
public record TapSelection(int taps, int kept, int block) {
    public static TapSelection of(LayerShape layer, boolean isSparse) {
        return isSparse ? new TapSelection(layer.taps(), layer.kept(), layer.block()) : dense(layer.taps());
    }

    public static TapSelection dense(int taps) {
        return new TapSelection(taps, 1, 1);
    }

    public int count() {
        return taps / block * kept + Math.min(kept, taps % block);
    }

    /** Kept weights among the first {@code end} weights of the dense filter. */
    public long before(long end) {
        return end / block * kept + Math.min(kept, end % block);
    }

    public boolean isDense() {
        return kept == block;
    }

    /** True if a weight of the dense filter is kept. */
    public boolean keeps(int original) {
        return original % block < kept;
    }

    public int original(int index) {
        return index / kept * block + index % kept;
    }
}
