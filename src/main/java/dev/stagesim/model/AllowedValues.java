package dev.stagesim.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Lists what a setting may be: those constants of an enumeration that a run may choose, or text that a registry names. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface AllowedValues {
    /** The words; those of a registry follow. */
    String[] value();

    /** Name of a class that settings cannot depend on, whose static method {@code names()} lists more; empty for none. */
    String registry() default "";
}
