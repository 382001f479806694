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
    private static final int ROW = 4;
    private static final int BYTES = 1;
    private static final int TAG_AND_HANDLE = 2;
    private static final int NEXT_FREE = 3;

    private EventCalendar calendar = new EventCalendar();
    private Matcher matcher = new Matcher();
    private @Nullable SimultaneousEvents simultaneous;
    private @Nullable SymmetryFold fold;

    /**
     * Half-step counter of the simultaneous events: even while their arrivals are handled, odd while the rest is
     * handled.
     */
    private long moment;

    /** By message: ranks of sender and receiver, bytes, tag and handle of the send, and the next free message. */
    private long[] rows = new long[ROW << 6];

    private int[] move = {};
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
        int row = message * ROW;
        rows[row] = (long) from << 32 | to;
        rows[row + BYTES] = size;
        rows[row + TAG_AND_HANDLE] = (long) label << 32 | (handle & 0xFFFFFFFFL);
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
            for (int j = i + 1; sendHandle(earlier) >= 0 && j < events.arrivals(); j++) {
                int later = events.arrival(j);
                if (tag(later) != tag(earlier)) {
                    break;
                }
                folded.checkOrder(move[earlier], move[later]);
            }
        }
    }

    private void add(SimultaneousEvents events, long event) {
        if (event < 0 && kind(event) == ARRIVED) {
            int message = (int) event;
            events.addArrival(tag(message), sendHandle(message) >= 0 ? source(message) : -1, message);
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
        int row = message * ROW;
        long tagAndHandle = rows[row + TAG_AND_HANDLE];
        int tag = (int) (tagAndHandle >>> 32);
        int handle = (int) tagAndHandle;
        long size = rows[row + BYTES];
        int receive = fold == null
                ? matcher.arrive(rows[row], size, tag)
                : matcher.arrive(move[message], fold.classOf(destination(message)), size, tag);
        rows[row + NEXT_FREE] = free;
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

    /** Handles an event scheduled with {@link #planOwn}; none by default. */
    void handle(int kind, int index) {
        throw new IllegalStateException("no such event");
    }

    /** Called when the client schedules an event; only with symmetry folding. */
    void scheduled(long event) {}

    /** Called before an event is handled; only with symmetry folding. Client events are non-negative. */
    void starting(long event) {}

    @Override
    public boolean fold(SymmetryFold symmetry) {
        fold = symmetry;
        move = new int[rows.length / ROW];
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

    /** Grows the arrays that a backend indexes by message; none by default. */
    void grow(int messages) {}

    final int source(int message) {
        return (int) (rows[message * ROW] >>> 32);
    }

    final int destination(int message) {
        return (int) rows[message * ROW];
    }

    final long bytes(int message) {
        return rows[message * ROW + BYTES];
    }

    private int tag(int message) {
        return (int) (rows[message * ROW + TAG_AND_HANDLE] >>> 32);
    }

    private int sendHandle(int message) {
        return (int) rows[message * ROW + TAG_AND_HANDLE];
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
            free = (int) rows[message * ROW + NEXT_FREE];
            return message;
        }
        if (made * ROW == rows.length) {
            int size = made * 2;
            rows = Arrays.copyOf(rows, size * ROW);
            move = fold == null ? move : Arrays.copyOf(move, size);
            grow(size);
        }
        return made++;
    }
}
