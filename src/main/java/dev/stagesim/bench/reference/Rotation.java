package dev.stagesim.bench.reference;

/** Rotary positions: turns each pair of a head's halves by an angle that grows with the position. */
final class Rotation {
    private static final double BASE = 10_000;
    private final int half;
    private final float[][] cos;
    private final float[][] sin;

    Rotation(int headDim, int positions) {
        this.half = headDim / 2;
        this.cos = new float[positions][half];
        this.sin = new float[positions][half];
        for (int p = 0; p < positions; p++) {
            for (int i = 0; i < half; i++) {
                double angle = p * Math.pow(BASE, -(double) i / half);
                cos[p][i] = (float) Math.cos(angle);
                sin[p][i] = (float) Math.sin(angle);
            }
        }
    }

    /** Turns the first {@code heads} heads of a row. */
    void apply(float[] row, int heads, int position) {
        float[] c = cos[position];
        float[] s = sin[position];
        for (int h = 0; h < heads; h++) {
            int first = h * 2 * half;
            int second = first + half;
            for (int i = 0; i < half; i++) {
                float a = row[first + i];
                float b = row[second + i];
                row[first + i] = a * c[i] - b * s[i];
                row[second + i] = a * s[i] + b * c[i];
            }
        }
    }
}
