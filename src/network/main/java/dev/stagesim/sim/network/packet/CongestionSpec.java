package dev.stagesim.sim.network.packet;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Variant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * Congestion control of the senders: the section {@code network.packet.congestion}. The permitted classes are the
 * available algorithms.
 */
public sealed interface CongestionSpec
        permits CongestionSpec.None, Dcqcn.Spec, Hpcc.Spec, Timely.Spec, Dctcp.Spec, HpccPint.Spec {
    /** Bytes of telemetry in the header of a data frame. */
    default int telemetryBytes() {
        return 0;
    }

    /** True if the rate of a flow stays constant while the flow meets no other. */
    default boolean isConstantWhenUncontended() {
        return false;
    }

    /** True if rates never change. */
    default boolean hasConstantRate() {
        return false;
    }

    /** True if data frames carry their send time. */
    default boolean carriesTimestamp() {
        return false;
    }

    /** Words per data frame that the algorithm uses: the time stamp, or the output of {@link #telemetry}. */
    default int carriedWords() {
        return carriesTimestamp() ? 1 : 0;
    }

    /**
     * Reports networks on which the algorithm cannot work. Each message continues the phrase "is NAME, ".
     *
     * @param maxSwitches switches on the longest path
     */
    default void check(PacketSpec spec, IntSupplier maxSwitches, Consumer<String> refuse) {}

    /** Keys of a reference configuration file that must change, with the reason. */
    default Map<String, String> refusedWords() {
        return Map.of();
    }

    /** Minimum time between two congestion notifications of a flow in ns, or 0. */
    default long noticePeriodNs() {
        return 0;
    }

    /** Delay from a marked frame to the first acknowledgement that may carry the notification, in ns. */
    default long noticeDelayNs() {
        return 0;
    }

    /** Creates the rate control of a network. */
    RateControl control(State state, FlowQueues queues);

    /** Creates the telemetry that switches write into data frames. */
    default Telemetry telemetry(State state) {
        return new Telemetry.None();
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
