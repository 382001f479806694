package dev.stagesim.sim.network;

import dev.stagesim.sim.core.EventCalendar;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Base of the analytical backends: the clock, the messages in flight and their matching.
 *
 * <p>Client events are non-negative numbers. Internal events have the sign bit set, followed by a kind and an index.
 */
abstract class AnalyticNetwork implements Network {
    private static final long OWN = Long.MIN_VALUE;
    private static final int KIND_SHIFT = 40;
    private static final int DEFERRED = 0;
    private static final int ARRIVED = 1;
    private static final int FIRST_FREE_KIND = 2;

    private EventCalendar calendar = new EventCalendar();
    private Matcher matcher = new Matcher();
    private @Nullable SimultaneousEvents simultaneous;
    private @Nullable SymmetryFold fold;

    /**
     * Half-step counter of the simultaneous events: even while their arrivals are handled, odd while the rest is
     * handled.
     */
    private long moment;

    private int[] source = new int[64];
    private int[] destination = new int[64];
    private long[] bytes = new long[64];
    private int[] tag = new int[64];
    private int[] sendHandle = new int[64];
    private int[] move = {};
    private int[] nextFree = new int[64];
    private int free = -1;
    private int made;
    private long sent;
    private boolean isStopped;
    private NetworkClient client = new UnstartedClient();

    @Override
    public boolean supportsSelfSend() {
        return false;
    }

    @Override
    public final long now() {
        return calendar.now();
    }

    @Override
    public final boolean hasEventNow() {
        return calendar.hasNext() && calendar.nextTime() == calendar.now();
    }

    @Override
    public final void schedule(long at, long event) {
        if (fold != null) {
            scheduled(event);
        }
        calendar.schedule(at, event);
    }

    @Override
    public final void send(int from, int to, long size, int label, int handle) {
        int moveNumber = fold == null ? from : fold.move(from, to);
        int message = newMessage();
        if (fold != null) {
            move[message] = moveNumber;
        }
        source[message] = from;
        destination[message] = to;
        bytes[message] = size;
        tag[message] = label;
        sendHandle[message] = handle;
        sent++;
        start(message, from, to, size);
    }

    @Override
    public final void receive(int from, int to, long size, int label, int handle) {
        boolean hasArrived = fold == null
                ? matcher.receive(from, to, size, label, handle)
                : matcher.receive(fold.move(from, to), fold.classOf(to), size, label, handle);
        if (hasArrived) {
            plan(calendar.now(), DEFERRED, handle);
        }
    }

    @Override
    public final void run(NetworkClient newClient) {
        client = newClient;
        isStopped = false;
        long due = PROGRESS_EVENTS;
        while (!isStopped && calendar.hasNext()) {
            if (calendar.handled() >= due) {
                due += PROGRESS_EVENTS;
                client.progress();
            }
            if (simultaneous == null) {
                handle(calendar.take());
            } else {
                runSimultaneous(simultaneous);
            }
        }
    }

    private void runSimultaneous(SimultaneousEvents events) {
        long event = calendar.take();
        moment = (moment | 1) + 1;
        if (!calendar.hasNow()) {
            moment |= event < 0 && kind(event) == ARRIVED ? 0 : 1;
            handle(event);
            return;
        }
        events.clear();
        add(events, event);
        while (calendar.hasNow()) {
            add(events, calendar.take());
        }
        events.close();
        if (fold != null) {
            checkOrder(fold, events);
        }
        for (int i = 0; i < events.arrivals() && !isStopped; i++) {
            arrived(events.arrival(i));
        }
        moment |= 1;
        for (int i = 0; i < events.others() && !isStopped; i++) {
            handle(events.other(i));
        }
    }

    /** Checks that messages with the same tag and a notified sender arrive in the order of ranks. */
    private void checkOrder(SymmetryFold folded, SimultaneousEvents events) {
        for (int i = 0; i < events.arrivals(); i++) {
            int earlier = events.arrival(i);
            for (int j = i + 1; sendHandle[earlier] >= 0 && j < events.arrivals(); j++) {
                int later = events.arrival(j);
                if (tag[later] != tag[earlier]) {
                    break;
                }
                folded.checkOrder(move[earlier], move[later]);
            }
        }
    }

    private void add(SimultaneousEvents events, long event) {
        if (event < 0 && kind(event) == ARRIVED) {
            int message = (int) event;
            events.addArrival(tag[message], sendHandle[message] >= 0 ? source[message] : -1, message);
        } else {
            events.add(event);
        }
    }

    private void handle(long event) {
        if (fold != null) {
            starting(event);
        }
        if (event >= 0) {
            client.event(event);
        } else {
            own(kind(event), (int) event);
        }
    }

    private static int kind(long event) {
        return (int) (event >>> KIND_SHIFT) & 0xFF;
    }

    @Override
    public final void orderByTag() {
        simultaneous = new SimultaneousEvents();
    }

    private void own(int kind, int index) {
        switch (kind) {
            case DEFERRED -> client.received(index);
            case ARRIVED -> arrived(index);
            default -> handle(kind - FIRST_FREE_KIND, index);
        }
    }

    /** Delivers a message to its destination and recycles its slot. */
    final void arrived(int message) {
        int handle = sendHandle[message];
        int receive = fold == null
                ? matcher.arrive(source[message], destination[message], bytes[message], tag[message])
                : matcher.arrive(move[message], fold.classOf(destination[message]), bytes[message], tag[message]);
        nextFree[message] = free;
        free = message;
        if (handle >= 0) {
            client.sent(handle);
        }
        if (receive != Matcher.NOTHING) {
            client.received(receive);
        }
    }

    /** Schedules the arrival of a message at its destination. */
    final void planArrival(long at, int message) {
        plan(at, ARRIVED, message);
    }

    /** Schedules a call of {@link #handle}. */
    final void planOwn(long at, int kind, int index) {
        plan(at, kind + FIRST_FREE_KIND, index);
    }

    private void plan(long at, int kind, int index) {
        calendar.schedule(at, OWN | (long) kind << KIND_SHIFT | index);
    }

    /** Starts the transfer of a message. */
    abstract void start(int message, int from, int to, long size);

    /** Handles an event scheduled with {@link #planOwn}. */
    abstract void handle(int kind, int index);

    /** Called when the client schedules an event; only with symmetry folding. */
    void scheduled(long event) {}

    /** Called before an event is handled; only with symmetry folding. Client events are non-negative. */
    void starting(long event) {}

    @Override
    public boolean fold(SymmetryFold symmetry) {
        fold = symmetry;
        move = new int[source.length];
        return true;
    }

    @Override
    public void unfold() {
        fold = null;
        calendar = new EventCalendar();
        matcher = new Matcher();
        free = -1;
        made = 0;
        sent = 0;
    }

    /**
     * Returns the number of the current group of simultaneous events. At equal times, arrivals have lower numbers than
     * other events.
     */
    final long moment() {
        return moment;
    }

    /** Grows the arrays that a backend indexes by message. */
    abstract void grow(int messages);

    final int source(int message) {
        return source[message];
    }

    final int destination(int message) {
        return destination[message];
    }

    final long bytes(int message) {
        return bytes[message];
    }

    @Override
    public final void stop() {
        isStopped = true;
    }

    @Override
    public final long events() {
        return calendar.handled();
    }

    @Override
    public final long messages() {
        return sent;
    }

    @Override
    public final void unmatched(Consumer<Unmatched> sink) {
        matcher.unmatched(sink);
    }

    private int newMessage() {
        int message = free;
        if (message >= 0) {
            free = nextFree[message];
            return message;
        }
        if (made == source.length) {
            int size = made * 2;
            source = Arrays.copyOf(source, size);
            destination = Arrays.copyOf(destination, size);
            bytes = Arrays.copyOf(bytes, size);
            tag = Arrays.copyOf(tag, size);
            sendHandle = Arrays.copyOf(sendHandle, size);
            move = fold == null ? move : Arrays.copyOf(move, size);
            nextFree = Arrays.copyOf(nextFree, size);
            grow(size);
        }
        return made++;
    }
}
