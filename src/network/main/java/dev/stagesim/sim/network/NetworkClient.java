package dev.stagesim.sim.network;

/** Receiver of the callbacks of a {@link Network} run. */
public interface NetworkClient {
    /** Handles an event that was passed to {@link Network#schedule}. */
    void event(long event);

    /** The message sent with {@code handle} has arrived. */
    void sent(int handle);

    /** The receive posted with {@code handle} has completed. */
    void received(int handle);

    /** Called about every {@link Network#PROGRESS_EVENTS} events of a run. */
    default void progress() {}
}
