package dev.stagesim.predict;

/** Turns the rows of a bundle into operator times at every key a simulation may ask for. */
@FunctionalInterface
public interface Predictor {
    OperatorTimes fit(Profile profile);
}
