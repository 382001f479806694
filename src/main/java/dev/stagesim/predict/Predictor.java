package dev.stagesim.predict;

import java.util.List;

/** Turns the rows of a bundle into operator times at every key a simulation may ask for. */
@FunctionalInterface
public interface Predictor {
    OperatorTimes fit(Profile profile);

    /** Returns in words how far the answers go beyond the sizes of a profile; empty if they do not. */
    default List<String> extrapolated(Profile profile) {
        return List.of();
    }
}
