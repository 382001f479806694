package dev.stagesim.stage;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a section of a stage's settings that the stage hands to upstream stages, and does not read unless it says so.
 *
 * <p>Such a section takes no part in the stage's run id: what it led to is in the digests of the inputs. When the user
 * names the upstream's directory, setting the section is an error, because it would have no effect.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface PassedTo {
    /** Roles of the inputs that the section shapes. */
    String[] value();

    /** True if the stage reads the section as well, so that it takes part in the run id and always has an effect. */
    boolean readToo() default false;
}
