package dev.stagesim.sim.network.packet;

/** Telemetry that switches write into departing data frames. */
abstract class Telemetry {
    /** No telemetry. */
    static final class None extends Telemetry {
        @Override
        void leave(int port, int packet) {}
    }

    /**
     * Called before a frame departs from {@code port}. The port's counter of sent bytes does not include the frame yet.
     */
    abstract void leave(int port, int packet);
}
