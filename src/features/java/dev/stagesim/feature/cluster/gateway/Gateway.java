package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.feature.cluster.instance.EventSchedule;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.instance.RequestTimeline.Outcome;
import java.util.BitSet;

/** Lets requests in, has them wait in an order, and ends those that wait or take too long. */
public final class Gateway {
    /** What the cluster does for it. */
    public interface Events {
        /** A request is to be sent. */
        void dispatch(int request);

        /** A request is over, wherever it is. */
        void giveUp(int request, Outcome outcome);

        /** Open instances. */
        int open();

        /** Returns the number of output tokens that a request has produced so far. */
        int produced(int request);
    }

    private final GatewaySettings settings;
    private final Clients clients;
    private final RequestTimeline timeline;
    private final EventSchedule operations;
    private final Events events;
    private final Admission admission;
    private final AdmissionQueue line;

    /** The same requests, the first to be dropped for others last. */
    private final PriorityOrderedQueue worth;

    private final BitSet isSent = new BitSet();
    private int sent;

    public Gateway(
            GatewaySettings settings,
            Clients clients,
            RequestTimeline timeline,
            EventSchedule operations,
            Events events) {
        this.settings = settings;
        this.clients = clients;
        this.timeline = timeline;
        this.operations = operations;
        this.events = events;
        admission = settings.admission().make(clients);
        line = settings.order().make(clients);
        worth = new PriorityOrderedQueue(Priorities.order(clients));
    }

    /** Requests that wait here. */
    public int waiting() {
        return line.size();
    }

    public Clients clients() {
        return clients;
    }

    public void arrive(int request, double now) {
        int open = events.open();
        double load = open == 0 ? Double.POSITIVE_INFINITY : (sent + line.size()) / (double) open;
        if (!admission.admits(request, now, load)) {
            events.giveUp(request, Outcome.REFUSED);
            return;
        }
        clients.of(request)
                .firstTokenS()
                .ifPresent(after -> operations.plan(now + after, () -> {
                    if (timeline.isOpen(request) && Double.isNaN(timeline.firstToken[request])) {
                        events.giveUp(request, Outcome.TIMED_OUT);
                    }
                }));
        clients.of(request).timeoutS().ifPresent(after -> end(request, now + after, Outcome.TIMED_OUT));
        if (clients.cancelledAfter(request) < Double.POSITIVE_INFINITY) {
            end(request, now + clients.cancelledAfter(request), Outcome.CANCELLED);
        }
        add(request);
        next();
        if (settings.depth().isPresent() && line.size() > settings.depth().get()) {
            events.giveUp(worth.last(), Outcome.SHED);
        }
    }

    private void end(int request, double at, Outcome outcome) {
        operations.plan(at, () -> {
            if (timeline.isOpen(request)) {
                events.giveUp(request, outcome);
            }
        });
    }

    private void add(int request) {
        charge();
        line.add(request);
        if (settings.depth().isPresent()) {
            worth.add(request);
        }
    }

    /** Reports the output tokens of all sent requests to an order that depends on them. */
    private void charge() {
        if (line.chargesOutput()) {
            isSent.stream().forEach(request -> line.produced(request, events.produced(request)));
        }
    }

    /** Sends what can be sent. */
    public void next() {
        if (line.size() > 0 && hasRoom()) {
            charge();
        }
        while (line.size() > 0 && hasRoom()) {
            int request = line.take();
            worth.remove(request);
            sent++;
            isSent.set(request);
            events.dispatch(request);
        }
    }

    private boolean hasRoom() {
        return settings.inFlight()
                .map(most -> sent < (long) most * events.open())
                .orElse(true);
    }

    /** A request is over. */
    public void over(int request, Outcome outcome) {
        if (!isSent.get(request)) {
            line.remove(request);
            worth.remove(request);
            return;
        }
        sent--;
        line.produced(request, outcome == Outcome.COMPLETED ? clients.outputTokens(request) : events.produced(request));
        isSent.clear(request);
        next();
    }
}
