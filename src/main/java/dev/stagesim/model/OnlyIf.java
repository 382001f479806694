package dev.stagesim.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says where a configuration key has an effect. A run that sets such a key to something else than its default while the
 * condition does not hold is refused, because an option without effect is an error.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface OnlyIf {
    /**
     * The condition, why the key has no effect where it does not hold, and what to do then, if that is not to leave the key
     * out: {@code "policy = random | only the random policy draws numbers | set cluster.policy=random"}.
     *
     * <p>A condition is a key, one of {@code =}, {@code !=} and {@code >}, and a value, of which {@code =} and {@code !=} take
     * several, separated by commas. The key is one beside this one, or the path of one from the root; a path that the stage
     * does not have decides nothing.
     */
    String value();
}
