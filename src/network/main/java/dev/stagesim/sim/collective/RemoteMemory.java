package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.spec.MemorySpec;
import dev.stagesim.sim.collective.trace.TraceErrors;
import java.util.Arrays;

/**
 * Accesses to remote memory. Each takes latency + size / bandwidth. A shared server processes one access at a time,
 * first come, first served.
 */
final class RemoteMemory {
    private static final int NONE = -1;

    private final MemorySpec spec;
    private final NpuTimers timers;
    private final boolean[] isBusy;
    private final int[] head;
    private final int[] tail;

    private int[] npu = new int[16];
    private int[] node = new int[16];
    private long[] bytes = new long[16];
    private int[] next = new int[16];
    private int free = NONE;
    private int made;

    RemoteMemory(MemorySpec spec, int npus, NpuTimers timers) {
        this.spec = spec;
        this.timers = timers;
        int servers =
                switch (spec.kind()) {
                    case POOL -> 1;
                    case PER_NODE -> (npus - 1) / spec.npusPerNode() + 1;
                    default -> 0;
                };
        isBusy = new boolean[servers];
        head = new int[servers];
        tail = new int[servers];
        Arrays.fill(head, NONE);
    }

    /** Starts an access of a node; {@link Timer#NODE_DONE} follows. */
    void access(Npu by, int nodeIndex, long size) {
        if (spec.kind() == MemorySpec.Kind.NONE) {
            throw TraceErrors.node(by.trace, nodeIndex, "the node accesses remote memory, and there is none");
        }
        if (spec.kind() == MemorySpec.Kind.PER_NPU) {
            timers.register(by.rank, time(size), Timer.NODE_DONE, nodeIndex, 0);
            return;
        }
        int server = spec.kind() == MemorySpec.Kind.POOL ? 0 : by.rank / spec.npusPerNode();
        if (isBusy[server]) {
            append(server, by.rank, nodeIndex, size);
        } else {
            isBusy[server] = true;
            serve(server, by.rank, nodeIndex, size);
        }
    }

    /** Ends the current access of a server. */
    void isFree(int server) {
        int first = head[server];
        if (first == NONE) {
            isBusy[server] = false;
            return;
        }
        head[server] = next[first];
        next[first] = free;
        free = first;
        serve(server, npu[first], node[first], bytes[first]);
    }

    private void serve(int server, int by, int nodeIndex, long size) {
        long ns = time(size);
        timers.register(by, ns, Timer.NODE_DONE, nodeIndex, 0);
        timers.register(by, ns, Timer.MEMORY_FREE, server, 0);
    }

    private long time(long size) {
        long transfer = spec.bandwidth() == 0 ? 0 : (long) ((double) size / spec.bandwidth());
        return spec.latency() + transfer;
    }

    private void append(int server, int by, int nodeIndex, long size) {
        int entry = free;
        if (entry == NONE) {
            if (made == npu.length) {
                npu = Arrays.copyOf(npu, made * 2);
                node = Arrays.copyOf(node, made * 2);
                bytes = Arrays.copyOf(bytes, made * 2);
                next = Arrays.copyOf(next, made * 2);
            }
            entry = made++;
        } else {
            free = next[entry];
        }
        npu[entry] = by;
        node[entry] = nodeIndex;
        bytes[entry] = size;
        next[entry] = NONE;
        if (head[server] == NONE) {
            head[server] = entry;
        } else {
            next[tail[server]] = entry;
        }
        tail[server] = entry;
    }
}
