package dev.stagesim.sim.network.packet.state;

import java.util.function.Consumer;
import java.util.function.IntSupplier;

/** A congestion control of the senders, as its network uses it. */
public interface CongestionControl {
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
}
