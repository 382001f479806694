package dev.stagesim.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Describes a record component for the schema and the reference of its document. Name, kind and nullability follow from
 * the component.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.TYPE})
public @interface Member {
    /** One sentence; for the record of a whole document, {@code name version | meaning}. */
    String value();

    /** Kind that the type does not express: {@code sha256} or {@code interval}. */
    String kind() default "";

    /** True if an empty optional is omitted instead of written as null. */
    boolean isLeftOut() default false;
}
