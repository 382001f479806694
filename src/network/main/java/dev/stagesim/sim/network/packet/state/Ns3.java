package dev.stagesim.sim.network.packet.state;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The spelling of a key in configuration files of ASTRA-sim's ns-3 network: the word, the default, and the minimum if
 * it differs from the minimum of the key, as in {@code "L2_ACK_INTERVAL | 0 | 0"}. A word without a default is
 * mandatory. On a congestion control, the value is its {@code CC_MODE} number.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.TYPE})
public @interface Ns3 {
    /** The word, or the number. */
    String value();
}
