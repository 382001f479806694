package dev.stagesim.predict.forest;

/** The 32-bit xorshift generator for the order of features in scikit-learn's trees. */
final class FeatureOrder {
    private int state;

    FeatureOrder(int seed) {
        this.state = seed;
    }

    /** Next integer in [from, to). */
    int between(int from, int to) {
        int x = state == 0 ? 1 : state;
        x ^= x << 13;
        x ^= x >>> 17;
        x ^= x << 5;
        state = x;
        return from + (x & Integer.MAX_VALUE) % (to - from);
    }
}
