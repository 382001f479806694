package dev.stagesim.predict;

import java.util.function.DoubleUnaryOperator;

/** Trains a model of an operator's times, for cross-validation. */
public interface Learner {
    /** Trains times by size. */
    DoubleUnaryOperator curve(Curve rows);

    /**
     * Trains times of attention.
     *
     * @param operator prefill or decode
     * @param maxKv maximum KV length of later queries
     * @param maxCount maximum count of later queries
     */
    ByKvAndCount surface(Operator operator, Surface rows, int maxKv, int maxCount);

    /** Milliseconds by KV length and count. */
    @FunctionalInterface
    interface ByKvAndCount {
        double at(int kvTokens, int count);
    }
}
