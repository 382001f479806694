package dev.stagesim.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Lists what a setting that is text may be, where a registry that settings cannot depend on holds most of it. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Words {
    /** Words that the registry does not have; they come first. */
    String[] value();

    /** Name of the class whose static method {@code names()} lists the others. */
    String registry();
}
