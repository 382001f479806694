package dev.stagesim.config.grammar;

/**
 * The value {@code null}.
 *
 * @param text as written ({@code NULL} in any case)
 */
public record NullValue(String text) implements Scalar {
    public static final NullValue NULL = new NullValue("null");
}
