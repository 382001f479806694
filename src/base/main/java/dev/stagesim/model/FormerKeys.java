package dev.stagesim.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Former keys of a record. Using one is an error that names the new key or the alternative. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface FormerKeys {
    /** Pairs {@code former=new}. */
    String[] value() default {};

    /** Pairs of a removed key and a hint: {@code removed=hint}. */
    String[] removed() default {};
}
