package dev.stagesim.config.grammar;

import java.math.BigDecimal;

/** Says when two scalars are the same map key: {@code 1}, {@code 1.0} and {@code true} are, as in Python. */
final class ScalarIdentity {
    private ScalarIdentity() {}

    static Object of(Scalar scalar) {
        if (scalar instanceof NullValue) {
            return NullValue.class;
        }
        if (scalar instanceof BoolValue bool) {
            return bool.value() ? BigDecimal.ONE : BigDecimal.ZERO;
        }
        if (scalar instanceof IntValue integer) {
            return new BigDecimal(integer.value()).stripTrailingZeros();
        }
        if (scalar instanceof FloatValue real) {
            return Double.isFinite(real.value())
                    ? new BigDecimal(real.value()).stripTrailingZeros()
                    : (Object) real.value();
        }
        return scalar.text();
    }
}
