package dev.stagesim.predict;

import java.util.function.DoubleUnaryOperator;

/** A way to learn an operator's times from rows, for judging it on rows it has not seen. */
public interface Learner {
    /** Learns times by size. */
    DoubleUnaryOperator curve(Curve rows);

    /**
     * Learns the times of attention.
     *
     * @param operator prefill or decode
     * @param maxKv greatest KV length that will be asked for
     * @param maxCount greatest count that will be asked for
     */
    ByKvAndCount surface(Operator operator, Surface rows, int maxKv, int maxCount);

    /** Milliseconds by KV length and count. */
    @FunctionalInterface
    interface ByKvAndCount {
        double at(int kvTokens, int count);
    }
}
