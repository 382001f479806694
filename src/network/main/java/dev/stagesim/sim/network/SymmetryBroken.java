package dev.stagesim.sim.network;

/** Thrown if NPUs treated as equivalent cannot be shown to be equivalent. The run restarts without symmetry folding. */
public final class SymmetryBroken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param why for the run's summary
     */
    public SymmetryBroken(String why) {
        super(why, null, false, false);
    }
}
