package dev.stagesim.feature.reference;

import java.util.Arrays;

/**
 * The arithmetic of a transformer layer over rows of floats.
 *
 * <p>A matrix is an array of rows, and the inner loops iterate over entire rows from index 0, so that the JIT compiler emits vector
 * instructions. Each output value is a sum in a fixed order that does not depend on the number of rows. So the results of a batch
 * are bit-identical to those of its rows.
 */
final class FloatKernels {
    private static final float EPSILON = 1e-5f;
    private static final int STEP = 8;
    private static final int ROWS = 4;

    private FloatKernels() {}

    /**
     * Multiplies rows with a matrix: {@code out[t] = x[t] w}.
     *
     * @param rows number of used rows of {@code x} and {@code out}
     * @param w matrix with one row per column of {@code x}, each of length {@code width}
     */
    static void multiply(float[][] x, int rows, float[][] w, int width, float[][] out) {
        for (int t = 0; t < rows; t++) {
            Arrays.fill(out[t], 0, width, 0);
        }
        int depth = w.length;
        int k = 0;
        for (; k + ROWS <= depth; k += ROWS) {
            for (int t = 0; t < rows; t++) {
                float[] a = x[t];
                add4(out[t], w[k], w[k + 1], w[k + 2], w[k + 3], a[k], a[k + 1], a[k + 2], a[k + 3], width);
            }
        }
        for (; k < depth; k++) {
            float[] row = w[k];
            for (int t = 0; t < rows; t++) {
                add1(out[t], row, x[t][k], width);
            }
        }
    }

    /** Adds four rows. With eight rows, or two output rows, the JIT compiler emits no vector instructions. */
    private static void add4(
            float[] c, float[] w0, float[] w1, float[] w2, float[] w3, float a0, float a1, float a2, float a3, int n) {
        for (int j = 0; j < n; j++) {
            c[j] += a0 * w0[j] + a1 * w1[j] + a2 * w2[j] + a3 * w3[j];
        }
    }

    /** Adds a multiple of a row. */
    static void add1(float[] c, float[] w, float a, int width) {
        for (int j = 0; j < width; j++) {
            c[j] += a * w[j];
        }
    }

    /** Adds {@code from} to {@code to}. */
    static void add(float[][] to, float[][] from, int rows, int width) {
        for (int t = 0; t < rows; t++) {
            float[] a = to[t];
            float[] b = from[t];
            for (int j = 0; j < width; j++) {
                a[j] += b[j];
            }
        }
    }

    /** Computes the root-mean-square norm of each row, times a weight per column. */
    static void norm(float[][] x, int rows, float[] weight, float[][] out) {
        for (int t = 0; t < rows; t++) {
            norm(x[t], 0, weight, out[t]);
        }
    }

    /** Normalises the part of {@code x} from {@code offset} with the length of {@code weight}. */
    private static void norm(float[] x, int offset, float[] weight, float[] out) {
        int width = weight.length;
        float scale = (float) (1 / Math.sqrt(dot(x, offset, x, offset, width) / width + EPSILON));
        for (int j = 0; j < width; j++) {
            out[offset + j] = x[offset + j] * scale * weight[j];
        }
    }

    /** Normalises every head in place. */
    static void headNorm(float[] x, int from, int heads, float[] weight) {
        for (int h = 0; h < heads; h++) {
            norm(x, from + h * weight.length, weight, x);
        }
    }

    /** Returns the inner product, computed in eight partial sums. */
    static float dot(float[] a, int ao, float[] b, int bo, int n) {
        float s0 = 0;
        float s1 = 0;
        float s2 = 0;
        float s3 = 0;
        float s4 = 0;
        float s5 = 0;
        float s6 = 0;
        float s7 = 0;
        int i = 0;
        for (; i + STEP <= n; i += STEP) {
            s0 += a[ao + i] * b[bo + i];
            s1 += a[ao + i + 1] * b[bo + i + 1];
            s2 += a[ao + i + 2] * b[bo + i + 2];
            s3 += a[ao + i + 3] * b[bo + i + 3];
            s4 += a[ao + i + 4] * b[bo + i + 4];
            s5 += a[ao + i + 5] * b[bo + i + 5];
            s6 += a[ao + i + 6] * b[bo + i + 6];
            s7 += a[ao + i + 7] * b[bo + i + 7];
        }
        for (; i < n; i++) {
            s0 += a[ao + i] * b[bo + i];
        }
        return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
    }

    /** Replaces the first {@code n} scores by weights with the sum 1. */
    static void softmax(float[] scores, int n) {
        float max = scores[0];
        for (int i = 1; i < n; i++) {
            max = Math.max(max, scores[i]);
        }
        float sum = 0;
        for (int i = 0; i < n; i++) {
            float e = (float) Math.exp(scores[i] - max);
            scores[i] = e;
            sum += e;
        }
        float scale = 1 / sum;
        for (int i = 0; i < n; i++) {
            scores[i] *= scale;
        }
    }

    /**
     * Computes the activation of the feed-forward layer, x·sigmoid(x). With a gate, the first half of the row is activated and
     * multiplied by the second half.
     */
    static void activate(float[][] up, int rows, int ffn, boolean gated, float[][] out) {
        for (int t = 0; t < rows; t++) {
            float[] x = up[t];
            float[] y = out[t];
            for (int j = 0; j < ffn; j++) {
                float silu = x[j] / (1 + (float) Math.exp(-x[j]));
                y[j] = gated ? silu * x[ffn + j] : silu;
            }
        }
    }

    /** Returns the index of the maximum of the first {@code n} values, the lowest if there are several. */
    static int argmax(float[] x, int n) {
        int best = 0;
        for (int i = 1; i < n; i++) {
            if (x[i] > x[best]) {
                best = i;
            }
        }
        return best;
    }
}
