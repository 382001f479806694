package dev.stagesim.predict;

/** Turns the rows of a bundle into operator times at every key a simulation may ask for. */
@FunctionalInterface
public interface Predictor {
    /**
     * Fits the rows.
     *
     * @throws dev.stagesim.model.StageException when the asked range cannot be covered
     */
    OperatorTimes fit(Profile profile);
}
