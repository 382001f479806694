package dev.stagesim.feature.reference;

import java.util.Arrays;

/** Grouped-query attention of one token over the cached tokens up to its position. */
final class AttentionKernel {
    private final PagedCache cache;
    private final int heads;
    private final int kvHeads;
    private final int headDim;
    private final float scale;
    private final float[] scores;
    private final float[] sum;

    AttentionKernel(EngineShape shape, PagedCache cache, int maxPositions) {
        this.cache = cache;
        this.heads = shape.heads();
        this.kvHeads = shape.kvHeads();
        this.headDim = shape.headDim();
        this.scale = (float) (1 / Math.sqrt(shape.headDim()));
        this.scores = new float[maxPositions];
        this.sum = new float[headDim];
    }

    /**
     * Computes the attention of one token.
     *
     * @param slots cache slot of each position of the sequence
     * @param length number of positions
     * @param row queries, from index 0
     * @param out receives the weighted sum of values of each head
     */
    void attend(int layer, int[] slots, int length, float[] row, float[] out) {
        float[][] keys = cache.keys[layer];
        float[][] values = cache.values[layer];
        int group = heads / kvHeads;
        for (int h = 0; h < heads; h++) {
            int kv = h / group;
            int from = h * headDim;
            for (int p = 0; p < length; p++) {
                scores[p] = scale * FloatKernels.dot(row, from, keys[slots[p] * kvHeads + kv], 0, headDim);
            }
            FloatKernels.softmax(scores, length);
            Arrays.fill(sum, 0);
            weigh(values, slots, kv, length);
            System.arraycopy(sum, 0, out, from, headDim);
        }
    }

    private void weigh(float[][] values, int[] slots, int kv, int length) {
        int p = 0;
        for (; p + 4 <= length; p += 4) {
            float[] v0 = values[slots[p] * kvHeads + kv];
            float[] v1 = values[slots[p + 1] * kvHeads + kv];
            float[] v2 = values[slots[p + 2] * kvHeads + kv];
            float[] v3 = values[slots[p + 3] * kvHeads + kv];
            add4(sum, v0, v1, v2, v3, p);
        }
        for (; p < length; p++) {
            float[] v = values[slots[p] * kvHeads + kv];
            float w = scores[p];
            for (int d = 0; d < headDim; d++) {
                sum[d] += w * v[d];
            }
        }
    }

    private void add4(float[] to, float[] v0, float[] v1, float[] v2, float[] v3, int p) {
        float w0 = scores[p];
        float w1 = scores[p + 1];
        float w2 = scores[p + 2];
        float w3 = scores[p + 3];
        for (int d = 0; d < headDim; d++) {
            to[d] += w0 * v0[d] + w1 * v1[d] + w2 * v2[d] + w3 * v3[d];
        }
    }
}
