package dev.stagesim.sim.network.packet;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * How configuration files of ASTRA-sim's ns-3 network write a key: the word, what holds where it is missing, and the least
 * legal value where that is another than the key's: {@code "L2_ACK_INTERVAL | 0 | 0"}. A word alone must be there. On a
 * congestion control, the number by which {@code CC_MODE} chooses it.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.TYPE})
public @interface Ns3 {
    /** The word, or the number. */
    String value();
}
