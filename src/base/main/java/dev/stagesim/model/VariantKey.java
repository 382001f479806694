package dev.stagesim.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the key that selects among the records of a sealed settings interface, if it is not {@code kind}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface VariantKey {
    /** The key, for example {@code profiler}. */
    String value();
}
