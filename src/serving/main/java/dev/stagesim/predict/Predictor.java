package dev.stagesim.predict;

import java.util.List;

/** Converts the rows of a bundle to operator times for every key of a simulation. */
@FunctionalInterface
public interface Predictor {
    OperatorTimes fit(Profile profile);

    /** Describes how far the predictions exceed the measured sizes of a profile; empty if they do not. */
    default List<String> extrapolated(Profile profile) {
        return List.of();
    }
}
