package dev.stagesim.engine.tf;

/**
 * Dynamic loss scale for mixed precision: halved after a non-finite gradient, doubled after a number of finite ones.
 */
final class LossScale {
    private static final double MAX_SCALE = 65_536 * 65_536.0;

    private final boolean isUsed;
    private final int growth;
    private double scale;
    private int good;
    private long updates;

    /**
     * Creates a scale.
     *
     * @param first initial value
     * @param growth number of consecutive finite steps that double it
     */
    LossScale(boolean isUsed, double first, int growth) {
        this.isUsed = isUsed;
        this.growth = growth;
        scale = isUsed ? first : 1;
    }

    double scale() {
        return scale;
    }

    /** Number of weight updates. */
    long updates() {
        return updates;
    }

    /**
     * Records a step.
     *
     * @param isFinite true if all gradients were finite; otherwise the weights were not changed
     * @param isUpdate true if the step was due to change weights
     */
    void take(boolean isFinite, boolean isUpdate) {
        updates += isUpdate && (isFinite || !isUsed) ? 1 : 0;
        if (!isUsed) {
            return;
        }
        good = isFinite ? good + 1 : 0;
        if (!isFinite) {
            scale = Math.max(1, scale / 2);
        } else if (good == growth) {
            scale = Math.min(MAX_SCALE, scale * 2);
            good = 0;
        }
    }
}
