package dev.stagesim.sim.network;

import java.util.List;
import java.util.function.Consumer;

/**
 * A network backend and its clock.
 *
 * <p>The client schedules its events here, so client and network events share one total order: by time, then by order
 * of scheduling. The backend is single-threaded; callbacks may call it.
 *
 * <p>The k-th send of a (tag, source, destination, size) matches the k-th receive with the same four values. The
 * backends allocate nothing per message once their arrays have grown.
 */
public interface Network {
    /** Number of events between two calls of {@link NetworkClient#progress}. */
    long PROGRESS_EVENTS = 1 << 20;

    /** Number of NPUs. Ranks are 0 to this number exclusive. */
    int npus();

    /** True if an NPU may send to itself. */
    boolean supportsSelfSend();

    /** Current simulated time in ns. */
    long now();

    /** True if an event is pending at the current time. */
    default boolean hasEventNow() {
        return false;
    }

    /**
     * Enables symmetry folding: from now on one representative of each class sends and receives for the whole class.
     *
     * @return whether this network supports folding
     */
    default boolean fold(SymmetryFold fold) {
        return false;
    }

    /** Ends symmetry folding and resets the network; after that every NPU sends its messages individually. */
    default void unfold() {}

    /**
     * True if messages sent at the same time from {@code from[i]} to {@code to[i]}, one per member of a class, are
     * transferred identically: their routes have equal lengths, and any links they share are otherwise
     * indistinguishable.
     */
    default boolean areEquivalentPaths(int[] from, int[] to) {
        return false;
    }

    /**
     * Delivers simultaneous arrivals in an order that does not depend on ranks, see {@link SimultaneousEvents}. The
     * packet network keeps its own order.
     */
    default void orderByTag() {}

    /**
     * Schedules a call of {@link NetworkClient#event} with {@code event}, a non-negative number.
     *
     * @param at absolute time in ns, not before {@link #now()}; at the current time the event runs after all pending
     *     events of that time
     */
    void schedule(long at, long event);

    /**
     * Sends a message. On arrival {@link NetworkClient#sent} is called with {@code handle}, before the receiver is
     * notified.
     *
     * @param bytes size, above 0
     * @param tag at least 0
     * @param handle client-side number of the send; a negative number suppresses the notification
     */
    void send(int source, int destination, long bytes, int tag, int handle);

    /**
     * Posts a receive. {@link NetworkClient#received} is called with {@code handle} when the message arrives. If it has
     * already arrived, the call comes at the end of the current time.
     */
    void receive(int source, int destination, long bytes, int tag, int handle);

    /**
     * Processes events until none is left or {@link #stop} is called.
     *
     * @param client receiver of the callbacks, for the whole run
     */
    void run(NetworkClient client);

    /** Ends {@link #run} after the current event. */
    void stop();

    /** Signals that all NPUs have finished. A network with periodic events may then end the run without them. */
    default void workDone() {}

    /** Number of events handled so far, of the client and of the network. */
    long events();

    /** Number of messages sent so far. */
    long messages();

    /** Reports every unexpected message and every pending receive, in a stable order. */
    void unmatched(Consumer<Unmatched> sink);

    /** Traffic of every link so far, in a stable order; empty if the backend has no links. */
    List<LinkUse> links();
}
