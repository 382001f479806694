package dev.stagesim.sim.network.packet;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Variant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/** How senders adapt their rates: the section {@code network.packet.congestion}; every control is listed here. */
public sealed interface CongestionSpec
        permits CongestionSpec.None, Dcqcn.Spec, Hpcc.Spec, Timely.Spec, Dctcp.Spec, HpccPint.Spec {
    /** Bytes that telemetry adds to a data frame. */
    default int telemetryBytes() {
        return 0;
    }

    /** Whether a flow that meets no other keeps its rate. */
    default boolean isConstantWhenUncontended() {
        return false;
    }

    /** Whether rates never change. */
    default boolean hasConstantRate() {
        return false;
    }

    /** Whether data frames carry the time at which they left their host. */
    default boolean carriesTimestamp() {
        return false;
    }

    /** Words that a data frame carries for it: the stamp, or what {@link #telemetry} writes. */
    default int carriedWords() {
        return carriesTimestamp() ? 1 : 0;
    }

    /**
     * Refuses a network on which it could not work; each refusal goes on from "is NAME, ".
     *
     * @param maxSwitches switches on the longest path
     */
    default void check(PacketSpec spec, IntSupplier maxSwitches, Consumer<String> refuse) {}

    /** What cannot stay as a configuration file of the reference has it: words, and what is wrong. */
    default Map<String, String> refusedWords() {
        return Map.of();
    }

    /** Minimum time between two notices of marks that a receiver gives a flow, in ns; 0 for none. */
    default long noticePeriodNs() {
        return 0;
    }

    /** From a mark to the first acknowledgement that may carry the notice, in ns. */
    default long noticeDelayNs() {
        return 0;
    }

    /** The control of a network. */
    RateControl control(State state, FlowQueues queues);

    /** What switches write into data frames for it. */
    default Telemetry telemetry(State state) {
        return new Telemetry.None();
    }

    /** The number by which the reference chooses each control, by its name. */
    static Map<String, String> numbers() {
        Map<String, String> numbers = new LinkedHashMap<>();
        for (Class<?> control : CongestionSpec.class.getPermittedSubclasses()) {
            numbers.put(
                    KeyRecord.kind(control), control.getAnnotation(Ns3.class).value());
        }
        return numbers;
    }

    /** Bits per second. */
    static long bits(double megabits) {
        return Math.round(megabits * 1e6);
    }

    /** Only the window holds a sender back. */
    @Variant("none | Rates stay; only the window holds a sender back.")
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
