package dev.stagesim.predict;

import dev.stagesim.predict.forest.TrainingRows;

/**
 * Training rows of an operator. Features are tokens or requests; for prefill the KV length and the squared chunk; for
 * decode the batch size and the KV length.
 *
 * @param columns one array per feature
 */
@SuppressWarnings("ArrayRecordComponent") // bulk data inside the package; never compared
record Features(double[][] columns, double[] targets) {
    /** Rows of an operator, which the profile must contain. */
    static Features of(Profile profile, Operator operator) {
        if (operator == Operator.ATTN_PREFILL) {
            return of(profile.prefill(), operator);
        }
        if (operator == Operator.ATTN_DECODE) {
            return of(profile.decode(), operator);
        }
        return of(profile.curve(operator).orElseThrow());
    }

    static Features of(Curve curve) {
        double[] sizes = new double[curve.rows()];
        double[] times = new double[curve.rows()];
        for (int i = 0; i < times.length; i++) {
            sizes[i] = curve.size(i);
            times[i] = curve.milliseconds(i);
        }
        return new Features(new double[][] {sizes}, times);
    }

    static Features of(Surface surface, Operator operator) {
        int[] kv = new int[surface.rows()];
        int[] counts = new int[surface.rows()];
        double[] times = new double[surface.rows()];
        for (int i = 0; i < times.length; i++) {
            kv[i] = surface.kvTokens(i);
            counts[i] = surface.count(i);
            times[i] = surface.milliseconds(i);
        }
        double[][] columns = operator == Operator.ATTN_PREFILL
                ? new double[][] {plain(kv), squared(counts)}
                : new double[][] {plain(counts), plain(kv)};
        return new Features(columns, times);
    }

    static boolean present(Profile profile, Operator operator) {
        return !PredictionTable.isKeyedByOne(operator)
                || profile.curve(operator).isPresent();
    }

    TrainingRows rows() {
        float[][] features = new float[columns.length][];
        for (int f = 0; f < features.length; f++) {
            features[f] = single(columns[f]);
        }
        return new TrainingRows(features, targets);
    }

    /** Converts to single precision, which forests use for comparisons. */
    static float[] single(double[] values) {
        float[] rounded = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            rounded[i] = (float) values[i];
        }
        return rounded;
    }

    static double[] plain(int[] keys) {
        double[] features = new double[keys.length];
        for (int i = 0; i < keys.length; i++) {
            features[i] = keys[i];
        }
        return features;
    }

    static double[] squared(int[] keys) {
        double[] features = new double[keys.length];
        for (int i = 0; i < keys.length; i++) {
            features[i] = (double) keys[i] * keys[i];
        }
        return features;
    }
}
