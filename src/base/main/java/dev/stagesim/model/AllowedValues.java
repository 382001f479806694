package dev.stagesim.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Lists the allowed values of a setting: a subset of an enumeration, or names of a registry. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface AllowedValues {
    /** Allowed values. The names of the registry are listed after them. */
    String[] value();

    /**
     * Class with a static method {@code names()} that lists further values, or empty. Settings cannot depend on this
     * class directly.
     */
    String registry() default "";
}
