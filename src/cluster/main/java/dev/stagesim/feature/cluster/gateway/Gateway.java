package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.feature.cluster.instance.EventSchedule;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.instance.RequestTimeline.Outcome;
import java.util.BitSet;

/** Admits requests, queues them, and ends requests that exceed their deadline or are cancelled. */
public final class Gateway {
    /** Callbacks into the cluster. */
    public interface Events {
        /** Sends a request to the router. */
        void dispatch(int request);

        /** Ends a request at any stage. */
        void abort(int request, Outcome outcome);

        /** Returns the number of open instances. */
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
    private final AdmissionQueue queue;

    /** The waiting requests by priority, if the queue length is limited. The last one is shed first. */
    private final PriorityOrderedQueue byPriority;

    private final BitSet isInFlight = new BitSet();
    private int inFlight;

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
        queue = settings.order().make(clients);
        byPriority = new PriorityOrderedQueue(Priorities.order(clients));
    }

    /** Returns the number of waiting requests. */
    public int waiting() {
        return queue.size();
    }

    public Clients clients() {
        return clients;
    }

    public void arrive(int request, double now) {
        int open = events.open();
        double load = open == 0 ? Double.POSITIVE_INFINITY : (inFlight + queue.size()) / (double) open;
        if (!admission.admits(request, now, load)) {
            events.abort(request, Outcome.REFUSED);
            return;
        }
        clients.settingsOf(request)
                .firstTokenS()
                .ifPresent(after -> operations.plan(now + after, () -> {
                    if (timeline.isOpen(request) && Double.isNaN(timeline.firstToken[request])) {
                        events.abort(request, Outcome.TIMED_OUT);
                    }
                }));
        clients.settingsOf(request).timeoutS().ifPresent(after -> end(request, now + after, Outcome.TIMED_OUT));
        if (clients.cancelledAfter(request) < Double.POSITIVE_INFINITY) {
            end(request, now + clients.cancelledAfter(request), Outcome.CANCELLED);
        }
        add(request);
        next();
        if (settings.depth().isPresent() && queue.size() > settings.depth().get()) {
            events.abort(byPriority.last(), Outcome.SHED);
        }
    }

    private void end(int request, double at, Outcome outcome) {
        operations.plan(at, () -> {
            if (timeline.isOpen(request)) {
                events.abort(request, outcome);
            }
        });
    }

    private void add(int request) {
        charge();
        queue.add(request);
        if (settings.depth().isPresent()) {
            byPriority.add(request);
        }
    }

    /** Reports the output tokens of all sent requests to the queue, if its order depends on them. */
    private void charge() {
        if (queue.chargesOutput()) {
            isInFlight.stream().forEach(request -> queue.produced(request, events.produced(request)));
        }
    }

    /** Dispatches requests while instances have capacity. */
    public void next() {
        if (queue.size() > 0 && hasRoom()) {
            charge();
        }
        while (queue.size() > 0 && hasRoom()) {
            int request = queue.take();
            byPriority.remove(request);
            inFlight++;
            isInFlight.set(request);
            events.dispatch(request);
        }
    }

    private boolean hasRoom() {
        return settings.inFlight()
                .map(limit -> inFlight < (long) limit * events.open())
                .orElse(true);
    }

    /** Removes a finished request. */
    public void finished(int request, Outcome outcome) {
        if (!isInFlight.get(request)) {
            queue.remove(request);
            byPriority.remove(request);
            return;
        }
        inFlight--;
        queue.produced(
                request, outcome == Outcome.COMPLETED ? clients.outputTokens(request) : events.produced(request));
        isInFlight.clear(request);
        next();
    }
}
