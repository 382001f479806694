package dev.stagesim.sim.collective;

import java.util.Arrays;

/**
 * Accesses to remote memory, each served in latency plus size over bandwidth; a server that is shared takes one at a
 * time in order of arrival.
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

    /** An NPU's node accesses memory; {@link Timer#NODE_DONE} follows. */
    void access(Npu by, int its, long size) {
        if (spec.kind() == MemorySpec.Kind.NONE) {
            throw TraceErrors.node(by.trace, its, "the node accesses remote memory, and there is none");
        }
        if (spec.kind() == MemorySpec.Kind.PER_NPU) {
            timers.register(by.rank, time(size), Timer.NODE_DONE, its, 0);
            return;
        }
        int server = spec.kind() == MemorySpec.Kind.POOL ? 0 : by.rank / spec.npusPerNode();
        if (isBusy[server]) {
            append(server, by.rank, its, size);
        } else {
            isBusy[server] = true;
            serve(server, by.rank, its, size);
        }
    }

    /** A server has done what it did. */
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

    private void serve(int server, int by, int its, long size) {
        long ns = time(size);
        timers.register(by, ns, Timer.NODE_DONE, its, 0);
        timers.register(by, ns, Timer.MEMORY_FREE, server, 0);
    }

    private long time(long size) {
        long transfer = spec.bandwidth() == 0 ? 0 : (long) ((double) size / spec.bandwidth());
        return spec.latency() + transfer;
    }

    private void append(int server, int by, int its, long size) {
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
        node[entry] = its;
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
