package dev.stagesim.predict.forest;

import dev.stagesim.sim.core.Mt19937;

/** The random generators of the reference forests. */
public final class Numpy {
    public static final Draws.Source SOURCE = seed -> Mt19937.numpySeed(seed)::masked;

    private Numpy() {}
}
