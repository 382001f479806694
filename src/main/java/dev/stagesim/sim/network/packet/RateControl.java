package dev.stagesim.sim.network.packet;

/** How senders set the rates of their flows; told of every acknowledgement. */
abstract class RateControl {
    /** A flow starts; its rate is that of its port. */
    void start(int flow) {}

    /** An acknowledgement of a flow has been counted; the flow may be complete by it. */
    void acknowledged(int flow, int packet) {}

    /** A flow is complete. */
    void complete(int flow) {}

    /** A timer that was planned for a flow with this kind of event is due; {@code stamp} tells it from older ones. */
    void timer(int kind, int flow, long stamp) {}

    /** Rates never change. */
    static final class Fixed extends RateControl {}
}
