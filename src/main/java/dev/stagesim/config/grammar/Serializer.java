package dev.stagesim.config.grammar;

/** Writes values in the form that parses back to the same value. */
public final class Serializer {
    private Serializer() {}

    /** Writes {@code value}; {@code HYDRA} writes what Hydra would, which does not always parse back. */
    public static String serialise(Value value, Dialect dialect) {
        throw new UnsupportedOperationException(value.toString() + dialect);
    }

    /** Writes {@code override} with its prefix, key, package and operator. */
    public static String serialise(ConfigOverride override, Dialect dialect) {
        throw new UnsupportedOperationException(override.toString() + dialect);
    }
}
