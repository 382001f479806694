package dev.stagesim.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Keys that a record had before. A file that uses one gets an error with the new name, or with what to do instead. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface FormerKeys {
    /** Pairs of the former and the new name, with an equals sign between them. */
    String[] value() default {};

    /** Pairs of a removed key and the hint for its users, with an equals sign between them. */
    String[] removed() default {};
}
