package dev.stagesim.feature.cluster.router.scorer;

/** One of the rules that an llm-d router weighs: scores the instances that it may choose, from 0 to 1. */
public interface Scorer {
    /** Looks at the candidates for a request. */
    default void begin(int request) {}

    /** The score of a candidate. */
    double score(int instance);

    /** A request was sent to an instance. */
    default void sent(int request, int instance) {}

    /** A request is done. */
    default void done(int request, int instance) {}
}
