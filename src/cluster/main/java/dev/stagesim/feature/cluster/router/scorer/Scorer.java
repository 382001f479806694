package dev.stagesim.feature.cluster.router.scorer;

/** Scores the candidates of an llm-d router from 0 to 1. */
public interface Scorer {
    /** Prepares the scores of a request. */
    default void begin(int request) {}

    double score(int instance);

    default void sent(int request, int instance) {}

    default void done(int request, int instance) {}
}
