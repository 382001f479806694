package dev.stagesim.sim.collective;

/** Says that NPUs taken for equivalent cannot be shown to be so; the run starts again without symmetry. */
final class SymmetryBroken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SymmetryBroken(String why) {
        super(why, null, false, false);
    }
}
