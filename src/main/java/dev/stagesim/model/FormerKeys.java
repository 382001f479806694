package dev.stagesim.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names that keys of a record had before; a file that uses one gets an error with the new name. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface FormerKeys {
    /** Pairs of the former and the new name, with an equals sign between them. */
    String[] value();
}
