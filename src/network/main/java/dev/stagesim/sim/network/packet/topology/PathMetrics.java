package dev.stagesim.sim.network.packet.topology;

import java.math.BigInteger;

/**
 * Properties of a path between two hosts of an empty network.
 *
 * @param roundTrip twice the delays, plus the time of one frame on each cable, in ns
 * @param slowest lowest rate in bits per second
 * @param product bandwidth-delay product in bytes
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
