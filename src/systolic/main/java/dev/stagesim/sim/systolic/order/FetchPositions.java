package dev.stagesim.sim.systolic.order;

/** Positions of an operand's words in its fetch order. Positions start at 0; padding entries are not counted. */
public interface FetchPositions {
    long words();

    /** Number of entries, padding included. */
    long entries();

    /** Position of the first word that a stream serves at a cycle of its fold; the cycle's other words follow. */
    long firstWord(Stream stream, int cycle);

    /** Number of words that a stream serves at a cycle of its fold. */
    int words(Stream stream, int cycle);

    /** Position of the word under a tap of a pixel's window. Valid for images only. */
    long wordOf(int pixel, int tap);
}
