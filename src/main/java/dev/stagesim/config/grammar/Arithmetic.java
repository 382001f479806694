package dev.stagesim.config.grammar;

/** Python's arithmetic on numbers: integers stay integers, anything with a float is a double. */
final class Arithmetic {
    private Arithmetic() {}

    static Scalar add(Scalar a, Scalar b) {
        return Types.isInteger(a) && Types.isInteger(b)
                ? IntValue.of(Types.integer(a).add(Types.integer(b)))
                : FloatValue.of(Types.real(a) + Types.real(b));
    }

    static Scalar negate(Scalar a) {
        return Types.isInteger(a) ? IntValue.of(Types.integer(a).negate()) : FloatValue.of(-Types.real(a));
    }

    static Scalar abs(Scalar a) {
        return Types.isInteger(a) ? IntValue.of(Types.integer(a).abs()) : FloatValue.of(Math.abs(Types.real(a)));
    }
}
