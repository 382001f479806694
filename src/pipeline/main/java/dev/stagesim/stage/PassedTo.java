package dev.stagesim.stage;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a section of a stage's settings that the stage passes to upstream stages.
 *
 * <p>The section is not part of the stage's run id, because its effect is in the digests of the inputs. It is an error to set
 * it together with the directory of the upstream run, because it would have no effect.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface PassedTo {
    /** Returns the roles of the inputs that the section affects. */
    String[] value();

    /** Returns true if the stage also reads the section, which is then part of the run id. */
    boolean readToo() default false;
}
