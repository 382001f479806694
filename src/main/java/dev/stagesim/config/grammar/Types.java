package dev.stagesim.config.grammar;

import java.math.BigDecimal;
import java.math.BigInteger;

/** Questions about values that several functions ask. */
final class Types {
    private Types() {}

    static boolean isText(Value value) {
        return value instanceof TextValue || value instanceof QuotedValue;
    }

    /** True for integers and floats, and in Hydra's dialect for truth values, which Python counts as integers. */
    static boolean isNumber(Value value, Dialect dialect) {
        return value instanceof IntValue
                || value instanceof FloatValue
                || (value instanceof BoolValue && dialect == Dialect.HYDRA);
    }

    static boolean isInteger(Value value) {
        return value instanceof IntValue || value instanceof BoolValue;
    }

    static boolean isFinite(Value value) {
        return !(value instanceof FloatValue real) || Double.isFinite(real.value());
    }

    static BigInteger integer(Value value) {
        if (value instanceof BoolValue bool) {
            return bool.value() ? BigInteger.ONE : BigInteger.ZERO;
        }
        return ((IntValue) value).value();
    }

    static double real(Value value) {
        return value instanceof FloatValue number
                ? number.value()
                : integer(value).doubleValue();
    }

    /** The exact binary value of a finite number. */
    static BigDecimal exact(Value value) {
        return value instanceof FloatValue number ? new BigDecimal(number.value()) : new BigDecimal(integer(value));
    }

    /** A finite number as its decimal text says it. */
    static BigDecimal decimal(Value value) {
        return value instanceof FloatValue number
                ? new BigDecimal(FloatText.shortest(number.value()))
                : new BigDecimal(integer(value));
    }

    /** The name of a value's type as messages use it. */
    static String name(Value value) {
        if (value instanceof NullValue) {
            return "null";
        }
        if (value instanceof BoolValue) {
            return "a truth value";
        }
        if (value instanceof IntValue || value instanceof FloatValue) {
            return "a number";
        }
        if (value instanceof Scalar) {
            return "a string";
        }
        if (value instanceof ListValue) {
            return "a list";
        }
        return value instanceof DictValue ? "a map" : "a " + sweepName((Sweep) value);
    }

    private static String sweepName(Sweep sweep) {
        if (sweep instanceof ChoiceSweep) {
            return "choice";
        }
        if (sweep instanceof RangeSweep) {
            return "range";
        }
        return sweep instanceof GlobSweep ? "glob" : sweep instanceof ZipSweep ? "zip" : "interval";
    }
}
