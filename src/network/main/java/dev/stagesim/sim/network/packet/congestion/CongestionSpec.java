package dev.stagesim.sim.network.packet.congestion;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.network.packet.state.CongestionControl;
import dev.stagesim.sim.network.packet.state.FlowQueues;
import dev.stagesim.sim.network.packet.state.Ns3;
import dev.stagesim.sim.network.packet.state.RateControl;
import dev.stagesim.sim.network.packet.state.State;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Congestion control of the senders: the section {@code network.packet.congestion}. The permitted classes are the
 * available algorithms.
 */
public sealed interface CongestionSpec extends CongestionControl
        permits CongestionSpec.None, Dcqcn.Spec, Hpcc.Spec, Timely.Spec, Dctcp.Spec, HpccPint.Spec {
    /** Keys of a reference configuration file that must change, with the reason. */
    default Map<String, String> unsupportedKeys() {
        return Map.of();
    }

    /** Maps each algorithm's name to its {@code CC_MODE} number in the reference. */
    static Map<String, String> numbers() {
        Map<String, String> numbers = new LinkedHashMap<>();
        for (Class<?> control : CongestionSpec.class.getPermittedSubclasses()) {
            numbers.put(
                    KeyRecord.kind(control), control.getAnnotation(Ns3.class).value());
        }
        return numbers;
    }

    /** Converts megabits per second to bits per second. */
    static long bits(double megabits) {
        return Math.round(megabits * 1e6);
    }

    /** No congestion control; only the window limits a sender. */
    @Variant("none | Rates stay constant; only the window limits a sender.")
    @Ns3("12")
    record None() implements CongestionSpec {
        @Override
        public boolean isConstantWhenUncontended() {
            return true;
        }

        @Override
        public boolean hasConstantRate() {
            return true;
        }

        @Override
        public RateControl control(State state, FlowQueues queues) {
            return new RateControl();
        }
    }
}
