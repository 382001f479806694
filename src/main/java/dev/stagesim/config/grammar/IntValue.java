package dev.stagesim.config.grammar;

import java.math.BigInteger;

/**
 * An integer of any size.
 *
 * @param value the value
 * @param text as written ({@code +1_000})
 */
public record IntValue(BigInteger value, String text) implements Scalar {
    public static IntValue of(BigInteger value) {
        return new IntValue(value, value.toString());
    }

    public static IntValue of(long value) {
        return of(BigInteger.valueOf(value));
    }
}
