package dev.stagesim.config.grammar;

import dev.stagesim.model.ShortestDouble;
import java.math.BigDecimal;
import java.math.BigInteger;

/** Type tests and arithmetic of values, shared by functions. */
final class Types {
    private Types() {}

    static boolean isText(Value value) {
        return value instanceof Value.Text || value instanceof Value.Quoted;
    }

    /** True for integers, floats and booleans. Python counts booleans as integers. */
    static boolean isNumber(Value value) {
        return value instanceof Value.Int || value instanceof Value.Real || value instanceof Value.Bool;
    }

    static boolean isInteger(Value value) {
        return value instanceof Value.Int || value instanceof Value.Bool;
    }

    static boolean isFinite(Value value) {
        return !(value instanceof Value.Real real) || Double.isFinite(real.value());
    }

    static BigInteger integer(Value value) {
        if (value instanceof Value.Bool bool) {
            return bool.value() ? BigInteger.ONE : BigInteger.ZERO;
        }
        return ((Value.Int) value).value();
    }

    static double real(Value value) {
        return value instanceof Value.Real number
                ? number.value()
                : integer(value).doubleValue();
    }

    /** Returns the exact binary value of a finite number. */
    static BigDecimal exact(Value value) {
        return value instanceof Value.Real number ? new BigDecimal(number.value()) : new BigDecimal(integer(value));
    }

    /** Returns the decimal value of a finite number's shortest text. */
    static BigDecimal decimal(Value value) {
        return value instanceof Value.Real number
                ? new BigDecimal(ShortestDouble.of(number.value()))
                : new BigDecimal(integer(value));
    }

    /** Adds as Python does: integers remain integers, and any float makes the sum a double. */
    static Value.Scalar add(Value.Scalar a, Value.Scalar b) {
        return isInteger(a) && isInteger(b)
                ? Value.Int.of(integer(a).add(integer(b)))
                : Value.Real.of(real(a) + real(b));
    }

    static Value.Scalar negate(Value.Scalar a) {
        return isInteger(a) ? Value.Int.of(integer(a).negate()) : Value.Real.of(-real(a));
    }

    static Value.Scalar abs(Value.Scalar a) {
        return isInteger(a) ? Value.Int.of(integer(a).abs()) : Value.Real.of(Math.abs(real(a)));
    }

    /** Returns the name of a value's type for messages. */
    static String name(Value value) {
        if (value instanceof Value.Null) {
            return "null";
        }
        if (value instanceof Value.Bool) {
            return "a boolean";
        }
        if (value instanceof Value.Int || value instanceof Value.Real) {
            return "a number";
        }
        if (value instanceof Value.Scalar) {
            return "a string";
        }
        if (value instanceof Value.Items) {
            return "a list";
        }
        return value instanceof Value.Dict ? "a map" : "a " + sweepName((SweepValue) value);
    }

    private static String sweepName(SweepValue sweep) {
        if (sweep instanceof SweepValue.Choice) {
            return "choice";
        }
        if (sweep instanceof SweepValue.Range) {
            return "range";
        }
        return sweep instanceof SweepValue.Glob ? "glob" : sweep instanceof SweepValue.Zip ? "zip" : "interval";
    }
}
