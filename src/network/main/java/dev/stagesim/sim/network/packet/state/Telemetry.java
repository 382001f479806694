package dev.stagesim.sim.network.packet.state;

/** Telemetry that switches write into departing data frames. */
public abstract class Telemetry {
    /** No telemetry. */
    static final class None extends Telemetry {
        @Override
        public void leave(int port, int packet) {}
    }

    /**
     * Called before a frame departs from {@code port}. The port's counter of sent bytes does not include the frame yet.
     */
    public abstract void leave(int port, int packet);
}
