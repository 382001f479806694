package dev.stagesim.predict;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The rows of a profiling bundle for one model, device, tensor-parallel degree and block size.
 *
 * @param name name in messages
 * @param curves times of the operators keyed by tokens or requests
 * @param prefill times of {@link Operator#ATTN_PREFILL}
 * @param decode times of {@link Operator#ATTN_DECODE}
 */
public record Profile(String name, Map<Operator, Curve> curves, Surface prefill, Surface decode) {
    public Profile {
        curves = Collections.unmodifiableMap(new EnumMap<>(curves));
    }

    /** Rows of an operator keyed by tokens or requests; empty if the bundle was read without it. */
    public Optional<Curve> curve(Operator operator) {
        return Optional.ofNullable(curves.get(operator));
    }
}
