package dev.stagesim.sim.network.packet;

/** What switches write into data frames as they leave. */
abstract class Telemetry {
    /** Nothing. */
    static final class None extends Telemetry {
        @Override
        void leave(int port, int packet) {}
    }

    /** A frame is about to leave {@code port}, whose counter of sent bytes does not have it yet. */
    abstract void leave(int port, int packet);
}
