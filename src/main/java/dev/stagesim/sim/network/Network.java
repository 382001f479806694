package dev.stagesim.sim.network;

import java.util.List;
import java.util.function.Consumer;

/**
 * A network backend with its clock.
 *
 * <p>The client schedules its own events here, so that they and the network's stand in one order: by time, and at equal
 * times by when they were scheduled. All calls come from one thread; calls made while a callback runs are the rule.
 *
 * <p>The k-th send of a (tag, source, destination, size) meets the k-th receive of the same four. Nothing here
 * allocates per message once the backend's arrays have grown.
 */
public interface Network {
    /** Events after which a run tells its client that it goes on. */
    long PROGRESS_EVENTS = 1 << 20;

    /** NPUs that can send and receive, ranks 0 to this number exclusive. */
    int npus();

    /** Whether an NPU may send to itself. */
    boolean supportsSelfSend();

    /** Simulated time in ns. */
    long now();

    /** Whether an event is pending for the present time. */
    default boolean hasEventNow() {
        return false;
    }

    /**
     * From now on one NPU of each class sends and receives for all of it.
     *
     * @return whether this network can tell what they have in common
     */
    default boolean fold(SymmetryFold fold) {
        return false;
    }

    /** Forgets all that has happened, so that every NPU may send for itself. */
    default void unfold() {}

    /**
     * Whether messages that leave {@code from[i]} for {@code to[i]} at one time, one for each member of a class, are
     * carried alike: over routes of equal length and, where they share links, over links that nothing else tells apart.
     */
    default boolean areEquivalentPaths(int[] from, int[] to) {
        return false;
    }

    /**
     * What comes to an NPU at one time comes in an order that does not depend on ranks from now on, see {@link SimultaneousEvents}; a
     * network of packets keeps its own order.
     */
    default void orderByTag() {}

    /**
     * Plans a call of {@link NetworkClient#event} with {@code event}, a number that is not negative.
     *
     * @param at absolute time in ns, not before {@link #now()}; at the present time the event runs after all that are
     *     pending for it
     */
    void schedule(long at, long event);

    /**
     * Sends a message; {@link NetworkClient#sent} is called with {@code handle} when it has arrived, before the
     * receiver is told.
     *
     * @param bytes size, above 0
     * @param tag at least 0
     * @param handle what the client knows the send by; below 0 when it need not be told
     */
    void send(int source, int destination, long bytes, int tag, int handle);

    /**
     * Posts a receive; {@link NetworkClient#received} is called with {@code handle} when the message has arrived, or, if
     * it has already, at the end of the present time.
     */
    void receive(int source, int destination, long bytes, int tag, int handle);

    /**
     * Runs events until none is left or {@link #stop} was called.
     *
     * @param client who is told; the same for the whole run
     */
    void run(NetworkClient client);

    /** Ends {@link #run} after the event that is being handled. */
    void stop();

    /** All NPUs are done; a network with events of its own may end the run without them. */
    default void workDone() {}

    /** Events handled so far, the client's and the network's own. */
    long events();

    /** Messages sent so far. */
    long messages();

    /** Hands on every message that arrived unwanted and every receive still posted, in a stable order. */
    void unmatched(Consumer<Unmatched> sink);

    /** What went over every link, in a stable order, as it is when it is asked for; nothing when the backend has no links. */
    List<LinkUse> links();
}
