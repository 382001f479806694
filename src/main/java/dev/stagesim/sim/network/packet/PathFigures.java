package dev.stagesim.sim.network.packet;

/**
 * What a message finds on the way between two hosts of an empty network.
 *
 * @param roundTrip twice the delays, and the time of one frame on each cable, in ns
 * @param slowest smallest rate in bits per second
 * @param product bytes that fill the path for one round trip
 */
record PathFigures(long roundTrip, long slowest, long product) {
    static PathFigures of(long roundTrip, long slowest) {
        return new PathFigures(roundTrip, slowest, roundTrip * slowest / 1_000_000_000L / 8);
    }
}
