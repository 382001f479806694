package dev.stagesim.sim.network;

/** Says that NPUs taken for equivalent cannot be shown to be so; the run starts again without symmetry. */
public final class SymmetryBroken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Ends a run.
     *
     * @param why for the run's summary
     */
    public SymmetryBroken(String why) {
        super(why, null, false, false);
    }
}
