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
    /**
     * Description of the key, followed by its default, unit and legal range, if any: {@code "Maximum wait for a
     * connection. | 10 | s | >0..3600"}.
     *
     * <p>The default is HOCON text ({@code 128}, {@code null}, {@code [1, 2]}, {@code "text"}). A key without one, or
     * with {@code required} in its place, must be set by a preset or the user. A range has two dots between its bounds,
     * and either bound can be missing; a lower bound after {@code >} is exclusive.
     */
    String value();
}
