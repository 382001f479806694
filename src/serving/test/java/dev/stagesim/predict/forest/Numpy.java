package dev.stagesim.predict.forest;

import dev.stagesim.sim.core.Mt19937;

/** The generators that forests are defined by. */
public final class Numpy {
    public static final Draws.Source SOURCE = seed -> Mt19937.numpySeed(seed)::masked;

    private Numpy() {}
}
