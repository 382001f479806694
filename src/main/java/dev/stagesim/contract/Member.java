package dev.stagesim.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a component of a document's record is, for its schema and the generated reference. Its name, kind and whether it
 * may be null are those of the component.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.TYPE})
public @interface Member {
    /** One sentence; on the record of a whole document {@code name version | meaning}. */
    String value();

    /** Kind, where the type says less: {@code sha256} or {@code interval}. */
    String kind() default "";

    /** Whether the member of an empty optional is left out, not null. */
    boolean isLeftOut() default false;
}
