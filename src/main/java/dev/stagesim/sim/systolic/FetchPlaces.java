package dev.stagesim.sim.systolic;

/** Where the words of an operand are in its fetch order, counted from 0 and without the entries that are none. */
interface FetchPlaces {
    long words();

    /** All entries, padding included. */
    long entries();

    /** Number of the first word that a stream serves at a cycle of its fold; the others follow. */
    long firstWord(Stream stream, int cycle);

    /** Words that a stream serves at a cycle of its fold. */
    int words(Stream stream, int cycle);

    /** Number of the word under a tap of a pixel's window; of images. */
    long wordOf(int pixel, int tap);
}
