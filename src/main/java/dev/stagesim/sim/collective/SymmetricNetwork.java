package dev.stagesim.sim.collective;

import dev.stagesim.sim.core.EventCalendar;
import dev.stagesim.sim.network.LinkUse;
import dev.stagesim.sim.network.Matcher;
import dev.stagesim.sim.network.Network;
import dev.stagesim.sim.network.NetworkClient;
import dev.stagesim.sim.network.Unmatched;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A network on which one NPU of each class stands for all of it: an event here is the same event on every member.
 *
 * <p>Which of two events comes first at a member must not depend on the member. Events that were planned in different
 * rounds are ordered alike everywhere: a round is what runs at one time and was planned in one earlier round, and all of
 * one round is planned before any of the next. Within a round two events that reach one class are ordered alike when
 * they come along one way, from one class by one move, since each sender planned them in its own order. Otherwise the
 * order differs from member to member, and the run goes on only if it cannot matter: all of them are arrivals for one
 * chunk, which do not differ, or messages that nobody waits for yet. Where that fails, or a move is not proven by
 * {@link Shifts}, {@link SymmetryBroken} ends the run.
 *
 * <p>Where the order in which members finish is asked for, it is kept for every event as {@link RankOrders}, and different
 * arrivals for one chunk in one round end the run as well.
 */
final class SymmetricNetwork implements Network {
    /** Classes that an event can name. */
    static final int MOST_CLASSES = 1 << 15;

    private static final long OWN = Long.MIN_VALUE;
    private static final int ARRIVED = 1;
    private static final int DEFERRED = 0;
    private static final int KIND_SHIFT = 40;

    /** Way of what an NPU plans for itself. */
    private static final int LOCAL = -1;

    /** Effects that may not change places with anything, and those of messages that nobody waits for. */
    private static final int FIXED = -3;

    private static final int NONE = -2;

    private final Network real;
    private final NpuClasses classes;
    private final Shifts shifts;
    private final EventCalendar calendar = new EventCalendar();
    private final Matcher matcher = new Matcher();

    private long[] what = new long[64];
    private int[] plannedIn = new int[64];
    private int[] order = new int[64];
    private int[] nextFree = new int[64];
    private int freeEvent = -1;
    private int eventsMade;

    private int[] move = new int[64];
    private int[] sender = new int[64];
    private int[] receiver = new int[64];
    private long[] bytes = new long[64];
    private int[] tag = new int[64];
    private int[] handle = new int[64];
    private int[] nextMessage = new int[64];
    private int freeMessage = -1;
    private int messagesMade;

    private final int[] reachedIn;
    private final int[] way;
    private final int[] effect;
    private int round;
    private int runsFrom = -1;
    private long runsAt = -1;

    private final @Nullable RankOrders orders;
    private int currentOrder;
    private final @Nullable Traffic traffic;
    private @Nullable Phase phase;
    private long sent;
    private boolean isStopped;

    /**
     * Stands for a network.
     *
     * @param wantsTraffic whether {@link #tellTraffic} is going to be asked
     * @param wantsOrder whether {@link #ordered} is
     */
    SymmetricNetwork(Network real, NpuClasses classes, boolean wantsTraffic, boolean wantsOrder) {
        this.orders = wantsOrder ? new RankOrders() : null;
        this.traffic = wantsTraffic ? new Traffic(classes.npus()) : null;
        this.real = real;
        this.classes = classes;
        this.shifts = new Shifts(classes, real);
        this.reachedIn = new int[classes.count()];
        this.way = new int[classes.count()];
        this.effect = new int[classes.count()];
    }

    /** What follows is sent and received in this phase. */
    void along(Phase its) {
        phase = its;
    }

    /** What follows is sent and received by nodes. */
    void alone() {
        phase = null;
    }

    /** Tells what every NPU sent to every other. */
    void tellTraffic(SimulationObserver observer) {
        if (traffic != null) {
            traffic.tell(classes, observer);
        }
    }

    private int move(int from, int to) {
        return phase == null ? shifts.between(from, to) : shifts.along(phase, from, to);
    }

    @Override
    public int npus() {
        return real.npus();
    }

    @Override
    public boolean carriesToSelf() {
        return false;
    }

    @Override
    public long now() {
        return calendar.now();
    }

    @Override
    public boolean hasEventNow() {
        return calendar.hasNext() && calendar.nextTime() == calendar.now();
    }

    @Override
    public void schedule(long at, long event) {
        plan(at, event, currentOrder);
    }

    private void plan(long at, long event, int inOrder) {
        int entry = freeEvent;
        if (entry < 0) {
            if (eventsMade == what.length) {
                what = Arrays.copyOf(what, eventsMade * 2);
                plannedIn = Arrays.copyOf(plannedIn, eventsMade * 2);
                order = Arrays.copyOf(order, eventsMade * 2);
                nextFree = Arrays.copyOf(nextFree, eventsMade * 2);
            }
            entry = eventsMade++;
        } else {
            freeEvent = nextFree[entry];
        }
        what[entry] = event;
        plannedIn[entry] = round;
        order[entry] = inOrder;
        calendar.schedule(at, entry);
    }

    @Override
    public void send(int source, int destination, long size, int label, int told) {
        int message = newMessage();
        move[message] = move(source, destination);
        sender[message] = classes.classOf(source);
        receiver[message] = classes.classOf(destination);
        bytes[message] = size;
        tag[message] = label;
        handle[message] = told;
        sent += classes.size(sender[message]);
        if (traffic != null) {
            traffic.add(source, destination, phase, size);
        }
        int inOrder = currentOrder;
        if (orders != null && phase != null) {
            inOrder = orders.after(inOrder, move[message], Step.of(phase, source, destination));
        }
        plan(now() + real.delay(source, destination, size), own(ARRIVED, message), inOrder);
    }

    @Override
    public void receive(int source, int destination, long size, int label, int told) {
        int by = move(source, destination);
        int at = classes.classOf(destination);
        if (matcher.receive(by, at, size, label, told)) {
            schedule(now(), own(DEFERRED, told) | (long) at << 48);
        }
    }

    private static long own(int kind, int index) {
        return OWN | (long) kind << KIND_SHIFT | index;
    }

    @Override
    public void run(NetworkClient client) {
        isStopped = false;
        while (!isStopped && calendar.hasNext()) {
            int entry = (int) calendar.take();
            if (plannedIn[entry] != runsFrom || calendar.now() != runsAt) {
                runsFrom = plannedIn[entry];
                runsAt = calendar.now();
                round++;
            }
            long event = what[entry];
            currentOrder = order[entry];
            nextFree[entry] = freeEvent;
            freeEvent = entry;
            if (event >= 0) {
                own(event, client);
            } else if (((int) (event >>> KIND_SHIFT) & 0xFF) == ARRIVED) {
                arrived((int) event, client);
            } else {
                reach((int) (event >>> 48) & 0x7FFF, LOCAL, FIXED);
                client.received((int) event);
            }
        }
    }

    private void own(long event, NetworkClient client) {
        int npu = NpuTimers.npu(event);
        if (npu < classes.npus()) {
            reach(classes.classOf(npu), LOCAL, FIXED);
        }
        client.event(event);
    }

    private void arrived(int message, NetworkClient client) {
        int waiting = matcher.arrive(move[message], receiver[message], bytes[message], tag[message]);
        boolean isNode = waiting >= Links.FIRST_OPERATION;
        reach(receiver[message], move[message], waiting == Matcher.NOTHING ? NONE : isNode ? FIXED : waiting);
        int told = handle[message];
        nextMessage[message] = freeMessage;
        freeMessage = message;
        if (told >= 0) {
            reach(sender[message], -2 - move[message], FIXED);
            client.sent(told);
        }
        if (waiting != Matcher.NOTHING) {
            client.received(waiting);
        }
    }

    /** An event of this round reaches a class along a way; refuses it when its place among the others is not certain. */
    private void reach(int number, int along, int its) {
        if (reachedIn[number] != round) {
            reachedIn[number] = round;
            way[number] = along;
            effect[number] = its;
            return;
        }
        int before = effect[number];
        boolean isIdle = its == NONE || before == NONE;
        boolean isAlike = before == its || isIdle;
        boolean isOrdered = orders != null && !isIdle;
        if (way[number] != along && (before == FIXED || its == FIXED || !isAlike || isOrdered)) {
            throw new SymmetryBroken("at " + now() + " ns what reaches NPU " + classes.first(number)
                    + " first is not what reaches its like first");
        }
        if (way[number] != along) {
            way[number] = Integer.MAX_VALUE;
        }
        effect[number] = !isAlike ? FIXED : before == NONE ? its : before;
    }

    private int newMessage() {
        int message = freeMessage;
        if (message >= 0) {
            freeMessage = nextMessage[message];
            return message;
        }
        if (messagesMade == move.length) {
            int size = messagesMade * 2;
            move = Arrays.copyOf(move, size);
            sender = Arrays.copyOf(sender, size);
            receiver = Arrays.copyOf(receiver, size);
            bytes = Arrays.copyOf(bytes, size);
            tag = Arrays.copyOf(tag, size);
            handle = Arrays.copyOf(handle, size);
            nextMessage = Arrays.copyOf(nextMessage, size);
        }
        return messagesMade++;
    }

    /** The order in which members come to the event that is being handled, for {@link #ordered}. */
    int order() {
        return currentOrder;
    }

    /** The members of an NPU's class in an order that {@link #order} named. */
    int[] ordered(int npu, int its) {
        if (orders == null) {
            throw new IllegalStateException("orders were not kept");
        }
        return orders.sorted(its, classes.members(classes.classOf(npu)));
    }

    /** Whether a message arrived that nobody asked for. */
    boolean hasUnmatched() {
        return !matcher.isEmpty();
    }

    @Override
    public void stop() {
        isStopped = true;
    }

    @Override
    public long events() {
        return calendar.handled();
    }

    @Override
    public long messages() {
        return sent;
    }

    @Override
    public void unmatched(Consumer<Unmatched> sink) {
        // Members of a class wait for different NPUs; who gets stuck is found out without symmetry.
    }

    @Override
    public void links(Consumer<LinkUse> sink) {
        // Only networks without links are simulated so.
    }
}
