package dev.stagesim.sim.trace.text;

import java.math.BigInteger;

/** Schema of a trace file. */
public enum TextSchema {
    /** Schema 1.0.0: sizes are signed. */
    V1_0_0(63, true),
    /** Schema 0.0.4: same wire format with unsigned sizes. */
    V0_0_4(64, false),
    /** Schema 0.0.1, for tagged 2.x releases of ASTRA-sim: sizes have 32 bits. */
    V0_0_1(32, false);

    private final int bits;
    private final boolean isSigned;

    TextSchema(int bits, boolean isSigned) {
        this.bits = bits;
        this.isSigned = isSigned;
    }

    /** True if a collective can have this size. */
    boolean fits(BigInteger size) {
        return size.bitLength() <= bits && (isSigned || size.signum() >= 0);
    }
}
