package dev.stagesim.predict;

import dev.stagesim.predict.forest.TrainingRows;

/**
 * How operators' keys become the features that models learn from: tokens or requests; for prefill the KV length and the
 * square of the chunk; for decode the batch size and the KV length.
 */
final class Features {
    private Features() {}

    /** Rows of an operator, which the profile must have. */
    static TrainingRows rows(Profile profile, Operator operator) {
        if (operator == Operator.ATTN_PREFILL) {
            return rows(profile.prefill(), operator);
        }
        if (operator == Operator.ATTN_DECODE) {
            return rows(profile.decode(), operator);
        }
        Curve curve = profile.curve(operator).orElseThrow();
        float[] sizes = new float[curve.rows()];
        double[] times = new double[curve.rows()];
        for (int i = 0; i < times.length; i++) {
            sizes[i] = (float) curve.size(i);
            times[i] = curve.milliseconds(i);
        }
        return new TrainingRows(new float[][] {sizes}, times);
    }

    private static TrainingRows rows(Surface surface, Operator operator) {
        int[] kv = new int[surface.rows()];
        int[] counts = new int[surface.rows()];
        double[] times = new double[surface.rows()];
        for (int i = 0; i < times.length; i++) {
            kv[i] = surface.kvTokens(i);
            counts[i] = surface.count(i);
            times[i] = surface.milliseconds(i);
        }
        float[][] features = operator == Operator.ATTN_PREFILL
                ? new float[][] {plain(kv), squared(counts)}
                : new float[][] {plain(counts), plain(kv)};
        return new TrainingRows(features, times);
    }

    static boolean present(Profile profile, Operator operator) {
        return !PredictionTable.isKeyedByOne(operator)
                || profile.curve(operator).isPresent();
    }

    static float[] plain(int[] keys) {
        float[] features = new float[keys.length];
        for (int i = 0; i < keys.length; i++) {
            features[i] = keys[i];
        }
        return features;
    }

    static float[] squared(int[] keys) {
        float[] features = new float[keys.length];
        for (int i = 0; i < keys.length; i++) {
            features[i] = (long) keys[i] * keys[i];
        }
        return features;
    }
}
