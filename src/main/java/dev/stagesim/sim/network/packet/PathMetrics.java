package dev.stagesim.sim.network.packet;

import java.math.BigInteger;

/**
 * What a message finds on the way between two hosts of an empty network.
 *
 * @param roundTrip twice the delays, and the time of one frame on each cable, in ns
 * @param slowest smallest rate in bits per second
 * @param product bytes that fill the path for one round trip
 */
record PathMetrics(long roundTrip, long slowest, long product) {
    private static final long NANOS = 1_000_000_000L;

    static PathMetrics of(long roundTrip, long slowest) {
        long high = Math.multiplyHigh(roundTrip, slowest);
        long product = high == 0
                ? Long.divideUnsigned(roundTrip * slowest, NANOS) / Byte.SIZE
                : BigInteger.valueOf(roundTrip)
                        .multiply(BigInteger.valueOf(slowest))
                        .divide(BigInteger.valueOf(NANOS * Byte.SIZE))
                        .min(BigInteger.valueOf(Long.MAX_VALUE))
                        .longValue();
        return new PathMetrics(roundTrip, slowest, product);
    }
}
