package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.spec.SharedBus;
import java.util.ArrayDeque;

/**
 * Shared bus of one NPU by the LogGP model (Alexandrov et al., SPAA 1995): an outer bus between the NPU (end A) and the
 * memory side (end B), and an inner bus connected to A.
 *
 * <p>Requests from A cross the inner bus first. A request that needs processing waits for the single processing unit at
 * the end it reached; a request that is sent back crosses the bus again. All times in ns.
 */
final class LogGpBus {
    /** Ends: A and B of the outer bus, A2 and B2 of the inner one. */
    private static final int A = 0;

    private static final int B = 1;
    private static final int A2 = 2;
    private static final int B2 = 3;

    private static final double INNER_GAP_PER_BYTE = 0.0038;
    private static final int MAX_READS = 8;
    private static final int PROCESSING_BASE = 50;
    private static final int PROCESSING_UNIT = 100;

    /** Continuation of a request after its last crossing. */
    private enum Continuation {
        /** Notify the chunk of the request. */
        NOTIFY,
        /** Queue the outer request for sending at A. */
        SEND_OUTER,
        /** Queue the outer request for processing at A. */
        PROCESS_OUTER,
        /** Complete the outer request. */
        RETIRE_OUTER
    }

    private enum State {
        FREE,
        SENDING,
        RECEIVING
    }

    /** Notified when a packet has crossed the bus. */
    interface Listener {
        void crossed(int slot, long size, boolean isReduced);
    }

    private static final class Request {
        final long size;
        final Continuation continuation;
        final @org.jspecify.annotations.Nullable Request outer;
        final int slot;
        final boolean isReduced;
        boolean toProcess;
        boolean toSendBack;

        Request(
                long size,
                Continuation continuation,
                @org.jspecify.annotations.Nullable Request outer,
                int slot,
                boolean isReduced) {
            this.size = size;
            this.continuation = continuation;
            this.outer = outer;
            this.slot = slot;
            this.isReduced = isReduced;
            this.toProcess = isReduced;
        }
    }

    private static final class End {
        State now = State.FREE;
        State before = State.FREE;
        long last;
        int reads;
        boolean isProcessing;
        final ArrayDeque<Request> sends = new ArrayDeque<>();
        final ArrayDeque<Request> receives = new ArrayDeque<>();
        final ArrayDeque<Request> processing = new ArrayDeque<>();
    }

    private final int npu;
    private final NpuTimers timers;
    private final SharedBus spec;
    private final Listener listener;
    private final End[] ends = {new End(), new End(), new End(), new End()};

    LogGpBus(int npu, NpuTimers timers, SharedBus spec, Listener listener) {
        this.npu = npu;
        this.timers = timers;
        this.spec = spec;
        this.listener = listener;
    }

    /** Transfers a packet from the NPU. */
    void transferOut(int slot, long size) {
        request(A, new Request(size, Continuation.NOTIFY, null, slot, false));
    }

    /** Transfers a packet to the NPU. */
    void transferIn(int slot, long size, boolean isReduced, boolean isSentBack) {
        Request request = new Request(size, Continuation.NOTIFY, null, slot, isReduced);
        request.toSendBack = isSentBack;
        request(B, request);
    }

    private void request(int end, Request request) {
        if (end == A) {
            inner(B2, Continuation.SEND_OUTER, request, false);
        } else {
            ends[end].sends.add(request);
            if (ends[end].now == State.FREE) {
                startNext(end);
            }
        }
    }

    private void inner(int end, Continuation continuation, Request outer, boolean isSentBack) {
        Request request = new Request(outer.size, continuation, outer, -1, false);
        request.toSendBack = isSentBack;
        request(end, request);
    }

    private void startNext(int end) {
        End x = ends[end];
        if (x.now != State.FREE || x.sends.isEmpty()) {
            return;
        }
        End y = ends[partner(end)];
        if (x.reads > MAX_READS && !y.sends.isEmpty() && y.reads <= MAX_READS) {
            if (y.now == State.FREE) {
                startNext(partner(end));
            }
            return;
        }
        sendHead(end);
    }

    private void sendHead(int end) {
        End x = ends[end];
        End y = ends[partner(end)];
        double offset = spec.overhead();
        if (x.before == State.SENDING) {
            long elapsed = timers.now() - x.last;
            offset = spec.overhead() + elapsed > spec.gap() ? spec.overhead() : spec.gap() - elapsed;
        }
        Request head = x.sends.remove();
        y.receives.add(head);
        y.before = y.now;
        y.now = State.RECEIVING;
        double perByte = end < A2 ? spec.gapPerByte() : INNER_GAP_PER_BYTE;
        double rest = (head.size - 1) * perByte;
        timers.register(
                npu, (long) (offset + rest + spec.latency() + spec.overhead()), Timer.BUS_RECEIVED, partner(end), 0);
        y.reads = 0;
        x.now = State.SENDING;
        timers.register(npu, (long) (offset + rest), Timer.BUS_SENT, end, 0);
    }

    /** Completes a send. */
    void sent(int end) {
        End x = ends[end];
        x.last = timers.now();
        x.before = x.now;
        x.now = State.FREE;
        x.reads++;
        startNext(end);
    }

    /** Completes a receive. */
    void received(int end) {
        End x = ends[end];
        x.last = timers.now();
        x.before = x.now;
        if (x.receives.size() < 2) {
            x.now = State.FREE;
        }
        Request head = x.receives.remove();
        if (head.toProcess) {
            head.toProcess = false;
            if (end == A) {
                inner(A2, Continuation.PROCESS_OUTER, head, true);
            } else {
                x.processing.add(head);
            }
            process(end);
        } else {
            proceed(end, head);
        }
        startNext(end);
    }

    /** Completes the processing of a request. */
    void processed(int end) {
        End x = ends[end];
        x.isProcessing = false;
        proceed(end, x.processing.remove());
        process(end);
        startNext(end);
    }

    private void proceed(int end, Request head) {
        if (head.toSendBack) {
            head.toSendBack = false;
            if (end == A) {
                inner(A2, Continuation.SEND_OUTER, head, true);
            } else {
                ends[end].sends.add(head);
            }
        } else if (end == A) {
            inner(A2, Continuation.RETIRE_OUTER, head, false);
        } else {
            retire(head);
        }
    }

    private void process(int end) {
        End x = ends[end];
        if (x.isProcessing || x.processing.isEmpty()) {
            return;
        }
        x.isProcessing = true;
        long ns = x.processing.element().size / PROCESSING_UNIT * spec.reductionDelay() + PROCESSING_BASE;
        timers.register(npu, ns, Timer.BUS_PROCESSED, end, 0);
    }

    private void retire(Request request) {
        Request outer = request.outer;
        if (request.continuation == Continuation.NOTIFY || outer == null) {
            listener.crossed(request.slot, request.size, request.isReduced);
            return;
        }
        switch (request.continuation) {
            case SEND_OUTER -> {
                ends[A].sends.add(outer);
                startNext(A);
            }
            case PROCESS_OUTER -> {
                ends[A].processing.add(outer);
                process(A);
            }
            default -> retire(outer);
        }
    }

    private static int partner(int end) {
        return end ^ 1;
    }
}
