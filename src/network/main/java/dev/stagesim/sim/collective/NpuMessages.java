package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.procedure.Group;
import dev.stagesim.sim.collective.result.SimulationObserver;
import dev.stagesim.sim.collective.symmetry.SymmetricNetwork;
import dev.stagesim.sim.collective.trace.TraceErrors;
import dev.stagesim.sim.network.Network;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Sends and receives of the NPUs: tags, the rendezvous protocol, and completion handles.
 *
 * <p>Handles below {@link #FIRST_OPERATION} are slots of chunks. Handles from it on are operations of nodes and of the
 * protocol, which this class stores.
 */
final class NpuMessages {
    static final int FIRST_OPERATION = 1 << 30;

    private static final int NO_WAITER = -1;
    private static final int REQUEST_TAGS = 1_000_000_000;
    private static final int REQUEST_BYTES = 8192;

    /** Kinds of operations. */
    private enum Kind {
        /** A send or receive node of an NPU. */
        NODE,
        /** A send or receive of a custom collective. */
        CUSTOM,
        /** A send that waits for the receiver's request. */
        REQUESTED_SEND,
        /** A receive that is posted once its request has been delivered. */
        REQUESTED_RECEIVE
    }

    /** Notified of completed nodes. */
    interface Listener {
        void nodeDone(int npu, int node);

        void customDone(int slot, int node);
    }

    private final Network network;
    private final boolean isRendezvous;
    private final Listener listener;
    private final SimulationObserver observer;
    private final boolean needsMessages;
    private final @Nullable SymmetricNetwork symmetric;

    private Kind[] kind = new Kind[16];
    private int[] first = new int[16];
    private int[] second = new int[16];
    private long[] bytes = new long[16];
    private int[] tag = new int[16];
    private int[] handle = new int[16];
    private int[] nextFree = new int[16];
    private int free = NO_WAITER;
    private int made;

    NpuMessages(Network network, boolean isRendezvous, Listener listener, SimulationObserver observer) {
        this.network = network;
        this.isRendezvous = isRendezvous;
        this.listener = listener;
        this.observer = observer;
        this.symmetric = network instanceof SymmetricNetwork operationKind ? operationKind : null;
        // With symmetry, traffic is reported at the end for all members of a class.
        this.needsMessages = observer.needsMessages() && symmetric == null;
    }

    /** True if an NPU may send to itself. */
    boolean supportsSelfSend() {
        return network.supportsSelfSend();
    }

    /** Sends a message of a chunk. */
    void send(ChunkState stream, int to, long size) {
        along(stream);
        checkSize(stream, size);
        send(stream.npu.rank, to, size, stream.tag % Group.TAGS + Group.TAGS, NO_WAITER);
    }

    /** Posts a receive of a chunk. */
    void receive(ChunkState stream, int from, long size) {
        along(stream);
        checkSize(stream, size);
        receive(from, stream.npu.rank, size, stream.tag % Group.TAGS + Group.TAGS, stream.slot);
    }

    private void along(ChunkState stream) {
        if (symmetric != null) {
            symmetric.along(stream.running());
        }
    }

    /** Sends a message of a send node. The node completes when the message arrives. */
    void sendNode(int npu, int to, long size, int label, int node) {
        send(npu, to, size, label % Group.TAGS, ofNode(npu, node));
    }

    void receiveNode(int npu, int from, long size, int label, int node) {
        receive(from, npu, size, label % Group.TAGS, ofNode(npu, node));
    }

    private int ofNode(int npu, int node) {
        int operation = operation(Kind.NODE, npu, node);
        if (symmetric != null) {
            symmetric.along(npu, node);
        }
        return operation;
    }

    void sendCustom(ChunkState stream, int to, long size, int label, int node) {
        send(stream.npu.rank, to, size, label % Group.TAGS, operation(Kind.CUSTOM, stream.slot, node));
    }

    void receiveCustom(ChunkState stream, int from, long size, int label, int node) {
        receive(from, stream.npu.rank, size, label % Group.TAGS, operation(Kind.CUSTOM, stream.slot, node));
    }

    /** Completes an operation. */
    void done(int what) {
        int op = what - FIRST_OPERATION;
        Kind operationKind = kind[op];
        int a = first[op];
        int b = second[op];
        nextFree[op] = free;
        free = op;
        switch (operationKind) {
            case NODE -> listener.nodeDone(a, b);
            case CUSTOM -> listener.customDone(a, b);
            case REQUESTED_SEND -> start(a, b, bytes[op], tag[op], handle[op]);
            case REQUESTED_RECEIVE -> network.receive(a, b, bytes[op], tag[op], handle[op]);
        }
    }

    private void send(int from, int to, long size, int label, int notified) {
        if (isRendezvous) {
            int op = requested(Kind.REQUESTED_SEND, from, to, size, label, notified);
            network.receive(to, from, REQUEST_BYTES, label + REQUEST_TAGS, op);
        } else {
            start(from, to, size, label, notified);
        }
    }

    private void receive(int from, int to, long size, int label, int notified) {
        if (isRendezvous) {
            int op = requested(Kind.REQUESTED_RECEIVE, from, to, size, label, notified);
            start(to, from, REQUEST_BYTES, label + REQUEST_TAGS, op);
        } else {
            network.receive(from, to, size, label, notified);
        }
    }

    private void start(int from, int to, long size, int label, int notified) {
        if (needsMessages) {
            observer.message(from, to, size, network.now());
        }
        network.send(from, to, size, label, notified);
    }

    private void checkSize(ChunkState stream, long size) {
        if (size <= 0) {
            throw TraceErrors.node(
                    stream.npu.trace,
                    stream.owner.node,
                    "the collective is too small for its algorithm: a message would have " + size + " bytes");
        }
        checkRendezvous(size);
    }

    private void checkRendezvous(long size) {
        if (isRendezvous && size > Integer.MAX_VALUE) {
            throw TraceErrors.system(
                    "rendezvous", "a message of " + size + " bytes is too large for the protocol: at most 2^31-1");
        }
    }

    private int requested(Kind operationKind, int a, int b, long size, int label, int notified) {
        checkRendezvous(size);
        int what = operation(operationKind, a, b);
        int op = what - FIRST_OPERATION;
        bytes[op] = size;
        tag[op] = label;
        handle[op] = notified;
        return what;
    }

    private int operation(Kind operationKind, int a, int b) {
        if (symmetric != null) {
            symmetric.ofSinglePair();
        }
        int op = free;
        if (op == NO_WAITER) {
            if (made == first.length) {
                grow();
            }
            op = made++;
        } else {
            free = nextFree[op];
        }
        kind[op] = operationKind;
        first[op] = a;
        second[op] = b;
        return FIRST_OPERATION + op;
    }

    private void grow() {
        int size = made * 2;
        kind = Arrays.copyOf(kind, size);
        first = Arrays.copyOf(first, size);
        second = Arrays.copyOf(second, size);
        bytes = Arrays.copyOf(bytes, size);
        tag = Arrays.copyOf(tag, size);
        handle = Arrays.copyOf(handle, size);
        nextFree = Arrays.copyOf(nextFree, size);
    }
}
