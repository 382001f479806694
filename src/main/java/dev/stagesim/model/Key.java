package dev.stagesim.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Documents one configuration key: the record component it annotates is the key's only definition.
 *
 * <p>The key's name is the component's name in snake case. Its default, range and unit feed the binder, the override
 * check, shell completion and the generated reference page.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Key {
    /** Marks a key that has no default: a preset or the user must give it. */
    String REQUIRED = "\0required";

    /** One sentence that says what the key is. */
    String doc();

    /** Unit of the value ({@code ns}, {@code GB/s}, {@code requests/s}, {@code tokens}); empty when it has none. */
    String unit() default "";

    /** Default as HOCON text ({@code 128}, {@code null}, {@code [1, 2]}, {@code "text"}). */
    String def() default REQUIRED;

    /** Least legal number, inclusive; empty for no bound. */
    String min() default "";

    /** Greatest legal number, inclusive; empty for no bound. */
    String max() default "";

    /** When true, {@link #min()} itself is not legal. */
    boolean above() default false;
}
