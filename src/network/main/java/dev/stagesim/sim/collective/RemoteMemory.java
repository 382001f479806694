package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.spec.MemorySpec;
import dev.stagesim.sim.collective.trace.TraceErrors;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Accesses to remote memory. Each takes latency + size / bandwidth. A shared server processes one access at a time,
 * first come, first served.
 */
final class RemoteMemory {
    /** An access of {@code bytes} by a node. */
    private record Access(int npu, int node, long bytes) {}

    /** A shared server with the accesses that wait for it. */
    private static final class Server {
        private final ArrayDeque<Access> waiting = new ArrayDeque<>();
        private boolean isBusy;
    }

    private final MemorySpec spec;
    private final NpuTimers timers;
    private final Server[] servers;

    RemoteMemory(MemorySpec spec, int npus, NpuTimers timers) {
        this.spec = spec;
        this.timers = timers;
        servers = new Server
                [switch (spec.kind()) {
                    case POOL -> 1;
                    case PER_NODE -> (npus - 1) / spec.npusPerNode() + 1;
                    default -> 0;
                }];
        Arrays.setAll(servers, server -> new Server());
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
        int number = spec.kind() == MemorySpec.Kind.POOL ? 0 : by.rank / spec.npusPerNode();
        Access access = new Access(by.rank, nodeIndex, size);
        if (servers[number].isBusy) {
            servers[number].waiting.add(access);
        } else {
            servers[number].isBusy = true;
            serve(number, access);
        }
    }

    /** Ends the current access of a server. */
    void isFree(int server) {
        if (servers[server].waiting.isEmpty()) {
            servers[server].isBusy = false;
        } else {
            serve(server, servers[server].waiting.remove());
        }
    }

    private void serve(int server, Access access) {
        long ns = time(access.bytes());
        timers.register(access.npu(), ns, Timer.NODE_DONE, access.node(), 0);
        timers.register(access.npu(), ns, Timer.MEMORY_FREE, server, 0);
    }

    private long time(long size) {
        long transfer = spec.bandwidth() == 0 ? 0 : (long) ((double) size / spec.bandwidth());
        return spec.latency() + transfer;
    }
}
