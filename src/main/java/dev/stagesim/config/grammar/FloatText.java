package dev.stagesim.config.grammar;

import dev.stagesim.model.ShortestDouble;

/** Renders floats of the override grammar, always recognisable as floats. */
public final class FloatText {
    private FloatText() {}

    /** The shortest text that reads back: {@code 1.0}, {@code 1e+16}, {@code 1e-05}, {@code inf} or {@code nan}. */
    public static String shortest(double value) {
        return ShortestDouble.of(value);
    }
}
