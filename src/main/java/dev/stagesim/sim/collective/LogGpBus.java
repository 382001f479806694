package dev.stagesim.sim.collective;

import java.util.ArrayDeque;

/**
 * The shared bus of one NPU after the LogGP model: an outer bus between the NPU (end A) and the memory side (end B), and
 * an inner one behind A.
 *
 * <p>What enters at A crosses the inner bus first. A request that is to be processed waits for the one processing unit
 * of the end it reached; one that is to be sent back crosses the bus again. Everything in ns.
 */
final class LogGpBus {
    /** Ends: A and B of the outer bus, A2 and B2 of the inner one. */
    private static final int A = 0;

    private static final int B = 1;
    private static final int A2 = 2;
    private static final int B2 = 3;

    private static final double INNER_GAP_PER_BYTE = 0.0038;
    private static final int MOST_READS = 8;
    private static final int PROCESSING_BASE = 50;
    private static final int PROCESSING_UNIT = 100;

    /** What happens when a request has crossed for the last time. */
    private enum Then {
        /** It belongs to a chunk, which is told. */
        TELL,
        /** The outer request waits to be sent at A. */
        SEND_OUTER,
        /** The outer request waits to be processed at A. */
        PROCESS_OUTER,
        /** The outer request is done. */
        RETIRE_OUTER
    }

    private enum State {
        FREE,
        SENDING,
        RECEIVING
    }

    /** Who is told when a packet has crossed. */
    interface Listener {
        void crossed(int slot, long size, boolean isReduced);
    }

    private static final class Request {
        final long size;
        final Then then;
        final @org.jspecify.annotations.Nullable Request outer;
        final int slot;
        final boolean isReduced;
        boolean toProcess;
        boolean toSendBack;

        Request(long size, Then then, @org.jspecify.annotations.Nullable Request outer, int slot, boolean isReduced) {
            this.size = size;
            this.then = then;
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

    /** A packet from the NPU outwards. */
    void transferOut(int slot, long size) {
        request(A, new Request(size, Then.TELL, null, slot, false));
    }

    /** A packet inwards. */
    void transferIn(int slot, long size, boolean isReduced, boolean isSentBack) {
        Request request = new Request(size, Then.TELL, null, slot, isReduced);
        request.toSendBack = isSentBack;
        request(B, request);
    }

    private void request(int end, Request request) {
        if (end == A) {
            inner(B2, Then.SEND_OUTER, request, false);
        } else {
            ends[end].sends.add(request);
            if (ends[end].now == State.FREE) {
                kick(end);
            }
        }
    }

    private void inner(int end, Then then, Request outer, boolean isSentBack) {
        Request request = new Request(outer.size, then, outer, -1, false);
        request.toSendBack = isSentBack;
        request(end, request);
    }

    private void kick(int end) {
        End x = ends[end];
        if (x.now != State.FREE || x.sends.isEmpty()) {
            return;
        }
        End y = ends[partner(end)];
        if (x.reads > MOST_READS && !y.sends.isEmpty() && y.reads <= MOST_READS) {
            if (y.now == State.FREE) {
                kick(partner(end));
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

    /** The end has sent. */
    void sent(int end) {
        End x = ends[end];
        x.last = timers.now();
        x.before = x.now;
        x.now = State.FREE;
        x.reads++;
        kick(end);
    }

    /** The end has received. */
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
                inner(A2, Then.PROCESS_OUTER, head, true);
            } else {
                x.processing.add(head);
            }
            process(end);
        } else {
            goOn(end, head);
        }
        kick(end);
    }

    /** The end has processed. */
    void processed(int end) {
        End x = ends[end];
        x.isProcessing = false;
        goOn(end, x.processing.remove());
        process(end);
        kick(end);
    }

    private void goOn(int end, Request head) {
        if (head.toSendBack) {
            head.toSendBack = false;
            if (end == A) {
                inner(A2, Then.SEND_OUTER, head, true);
            } else {
                ends[end].sends.add(head);
            }
        } else if (end == A) {
            inner(A2, Then.RETIRE_OUTER, head, false);
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
        if (request.then == Then.TELL || outer == null) {
            listener.crossed(request.slot, request.size, request.isReduced);
            return;
        }
        switch (request.then) {
            case SEND_OUTER -> {
                ends[A].sends.add(outer);
                kick(A);
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
