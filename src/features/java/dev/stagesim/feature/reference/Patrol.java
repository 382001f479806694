package dev.stagesim.feature.reference;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Goes over the weights, a row at a time, while there is nothing else to do: weights that rest are pushed out of the
 * caches by other programs, and the first step after a pause would take longer than the same step in a row of steps.
 */
final class Patrol {
    private final float[][] rows;
    private final float[] sum;
    private int at;

    Patrol(Weights weights) {
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
        Kernels.add1(sum, rows[at], 0, rows[at].length);
        at = at + 1 == rows.length ? 0 : at + 1;
    }
}
