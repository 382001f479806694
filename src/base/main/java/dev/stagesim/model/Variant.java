package dev.stagesim.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names one record of a sealed settings interface.
 *
 * <p>The key {@code kind = <value>} in the same section selects it.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Variant {
    /** Value of {@code kind} that selects the record and, after a bar, one sentence for the generated reference. */
    String value();
}
