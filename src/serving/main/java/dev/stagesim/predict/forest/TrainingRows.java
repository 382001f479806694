package dev.stagesim.predict.forest;

/** Training rows: one or two features in single precision, as in the reference, and a target. */
public final class TrainingRows {
    private final float[][] features;
    private final double[] targets;

    /**
     * Copies the data.
     *
     * @param features one array per feature, each as long as {@code targets}; values are at least 0
     */
    public TrainingRows(float[][] features, double[] targets) {
        if (features.length == 0 || targets.length == 0) {
            throw new IllegalArgumentException(features.length + " features, " + targets.length + " rows");
        }
        this.features = new float[features.length][];
        for (int f = 0; f < features.length; f++) {
            if (features[f].length != targets.length) {
                throw new IllegalArgumentException(features[f].length + " values for " + targets.length + " rows");
            }
            for (float value : features[f]) {
                if (!(value >= 0) || Float.isInfinite(value)) {
                    throw new IllegalArgumentException("feature " + value + ", expected a number of at least 0");
                }
            }
            this.features[f] = features[f].clone();
        }
        this.targets = targets.clone();
    }

    int rows() {
        return targets.length;
    }

    int features() {
        return features.length;
    }

    float feature(int feature, int row) {
        return features[feature][row];
    }

    double target(int row) {
        return targets[row];
    }

    TrainingRows without(int from, int to) {
        int left = rows() - (to - from);
        float[][] kept = new float[features.length][left];
        for (int f = 0; f < features.length; f++) {
            System.arraycopy(features[f], 0, kept[f], 0, from);
            System.arraycopy(features[f], to, kept[f], from, rows() - to);
        }
        double[] ys = new double[left];
        System.arraycopy(targets, 0, ys, 0, from);
        System.arraycopy(targets, to, ys, from, rows() - to);
        return new TrainingRows(kept, ys);
    }
}
