package dev.stagesim.sim.network.packet;

import dev.stagesim.model.Variant;

/** How senders adapt their rates: the section {@code network.packet.congestion}; every control is listed here. */
public sealed interface CongestionSpec
        permits CongestionSpec.None, Dcqcn.Spec, Hpcc.Spec, Timely.Spec, Dctcp.Spec, HpccPint.Spec {
    /** Bytes that telemetry adds to a data frame. */
    default int telemetryBytes() {
        return 0;
    }

    /** Whether a flow that meets no other keeps its rate. */
    default boolean isCalm() {
        return false;
    }

    /** Least time between two notices of marks that a receiver gives a flow, in ns; 0 for none. */
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

    /** Bits per second. */
    static long bits(double megabits) {
        return Math.round(megabits * 1e6);
    }

    /** Only the window holds a sender back. */
    @Variant("none | Rates stay; only the window holds a sender back.")
    @Ns3("12")
    record None() implements CongestionSpec {
        @Override
        public boolean isCalm() {
            return true;
        }

        @Override
        public RateControl control(State state, FlowQueues queues) {
            return new RateControl.Fixed();
        }
    }
}
