package dev.stagesim.sim.collective.spec;

/** The implementation that the run reproduces. */
public enum AstraCompat {
    /** Own behaviour: impossible input is an error, and the extensions are available. */
    NONE,
    /** The reference's release 518bd51 (2026), with equal numbers. */
    ASTRA,
    /** The reference's release 56b533f (2023): no reduction delay, unlimited concurrent nodes, durations in ns. */
    ASTRA_2023,
    /** The reference's release 518bd51 on its packet-level network, with equal times. */
    NS3
}
