package dev.stagesim.feature.reference;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Reads the weights while the engine is idle. Without it, other programs evict the weights from the processor caches, and the
 * first step after a pause takes longer than a step that follows another one.
 */
final class CacheWarmer {
    private final float[][] rows;
    private final float[] sum;
    private int at;

    CacheWarmer(Weights weights) {
        List<float[]> all = new ArrayList<>();
        for (Weights.Layer layer : weights.layers) {
            for (float[][] matrix : List.of(layer.qkv(), layer.attentionOut(), layer.up(), layer.down())) {
                Collections.addAll(all, matrix);
            }
        }
        Collections.addAll(all, weights.head);
        rows = all.toArray(float[][]::new);
        int widest = 0;
        for (float[] row : rows) {
            widest = Math.max(widest, row.length);
        }
        sum = new float[widest];
    }

    /** Reads one row, which takes less than a microsecond. */
    void next() {
        FloatKernels.add1(sum, rows[at], 0, rows[at].length);
        at = at + 1 == rows.length ? 0 : at + 1;
    }
}
