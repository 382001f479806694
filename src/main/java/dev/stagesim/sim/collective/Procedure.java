package dev.stagesim.sim.collective;

/** How the chunks of a phase proceed; the state is the chunk's. */
interface Procedure {
    /** The chunk begins its phase. */
    void start(Stream stream);

    /** A message that the chunk waited for is there. */
    void received(Stream stream);

    /** A packet of the chunk has passed its endpoint. */
    void passed(Stream stream);
}
