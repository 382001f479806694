package dev.stagesim.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * States when a configuration key has an effect. Setting such a key to a value other than its default is an error if the
 * condition is not met.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface OnlyIf {
    /**
     * Condition, reason, and optionally advice other than removing the key: {@code "policy = random | only the random
     * policy draws numbers | set cluster.policy=random"}.
     *
     * <p>A condition consists of a key, one of {@code =}, {@code !=} and {@code >}, and a value; {@code =} and {@code
     * !=} accept several values, separated by commas. The key is a sibling of this key or a path from the root. A path
     * that the stage does not have is ignored.
     */
    String value();

    /** Value that is valid without the condition: it disables what the condition requires, such as {@code none}. */
    String except() default "";
}
