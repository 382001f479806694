package dev.stagesim.sim.collective;

/** Whose behaviour is reproduced where the reference is odd. */
public enum Compat {
    /** Ours: what cannot work is refused, and the extensions are available. */
    NONE,
    /** The reference's release 518bd51 (2026), number by number. */
    ASTRA,
    /** The reference's release 56b533f (2023): no reduction delay, any number of nodes at once, durations in ns. */
    ASTRA_2023,
    /** The reference's release 518bd51 on its packet-level network, nanosecond by nanosecond. */
    NS3
}
