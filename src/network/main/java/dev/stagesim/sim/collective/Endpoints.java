package dev.stagesim.sim.collective;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.SimulationSpec;
import dev.stagesim.sim.collective.spec.SystemSpec;
import dev.stagesim.sim.collective.trace.TraceErrors;

/**
 * Delay between an NPU and the network for each packet of a collective, and the reduction of received packets.
 *
 * <p>A reduction takes three accesses to the NPU's memory, each truncated to whole ns. Reductions of one NPU share its
 * memory and run sequentially. In the reference they run concurrently without limit, and packets of communicator groups
 * take 10 ns regardless of the endpoint delay.
 */
final class Endpoints {
    private static final int GROUP_DELAY = 10;
    private static final int ACCESSES = 3;

    private final NpuTimers timers;
    private final long delay;
    private final double bandwidth;
    private final boolean isReductionFree;
    private final boolean isReference;

    /** By NPU: end of the last reduction in its memory, in ns. */
    private final long[] memoryFree;

    private final LogGpBus[] buses;
    private final SystemSpec system;

    Endpoints(NpuTimers timers, SimulationSpec spec, Streams streams) {
        this.timers = timers;
        this.system = spec.system();
        this.delay = system.endpointDelay();
        this.bandwidth = system.localMemoryBandwidth();
        // The release of 2023 divided by bytes per second without the factor 1e9, so its result was 0.
        this.isReference = spec.compat() != AstraCompat.NONE;
        this.memoryFree = new long[isReference ? 0 : spec.npus()];
        this.isReductionFree = bandwidth == 0 || spec.compat() == AstraCompat.ASTRA_2023;
        this.buses = new LogGpBus[system.sharedBus().isPresent() ? spec.npus() : 0];
        for (int npu = 0; npu < buses.length; npu++) {
            buses[npu] = new LogGpBus(
                    npu,
                    timers,
                    system.sharedBus().orElseThrow(),
                    (slot, size, isReduced) -> crossed(streams.get(slot), size, isReduced));
        }
    }

    /** Sends a packet to the endpoint. */
    void out(ChunkState stream, long size) {
        boolean isFast = isFast(stream);
        if (isFast || buses.length == 0) {
            timers.register(stream.npu.rank, isFast ? GROUP_DELAY : delay, Timer.ENDPOINT, stream.slot, -1);
        } else {
            buses[stream.npu.rank].transferOut(stream.slot, checked(size));
        }
    }

    /** Passes a received packet through the endpoint. */
    void in(ChunkState stream, long size, boolean isReduced, boolean isSentBack) {
        boolean isFast = isFast(stream);
        if (isFast || buses.length == 0) {
            long then = isReduced ? reduction(size) : -1;
            timers.register(stream.npu.rank, isFast ? GROUP_DELAY : delay, Timer.ENDPOINT, stream.slot, then);
        } else {
            buses[stream.npu.rank].transferIn(stream.slot, checked(size), isReduced, isSentBack);
        }
    }

    /** Bus of an NPU; only with a shared bus. */
    LogGpBus bus(int npu) {
        return buses[npu];
    }

    /** A packet has passed the endpoint; a reduction may follow. */
    void waited(ChunkState stream, long reduction) {
        if (reduction < 0) {
            pass(stream);
        } else {
            timers.register(stream.npu.rank, wait(stream.npu.rank, reduction), Timer.REDUCED, stream.slot, 0);
        }
    }

    /** Time until the end of a reduction that is requested now. */
    private long wait(int npu, long reduction) {
        if (isReference) {
            return reduction;
        }
        memoryFree[npu] = Math.max(memoryFree[npu], timers.now()) + reduction;
        return memoryFree[npu] - timers.now();
    }

    /** Checks a size for the reference's bus, which uses 32 bits. */
    private long checked(long size) {
        if (isReference && size > Integer.MAX_VALUE) {
            throw TraceErrors.system(
                    "shared bus",
                    "a message of " + size + " bytes crosses it, but the maximum of the reference's bus is 2^31-1;"
                            + " increase the number of splits, or set compat=none");
        }
        return size;
    }

    /** Makes a packet available to its chunk. */
    void pass(ChunkState stream) {
        stream.run().passed();
    }

    private void crossed(ChunkState stream, long size, boolean isReduced) {
        waited(stream, isReduced ? reduction(size) : -1);
    }

    private boolean isFast(ChunkState stream) {
        return isReference && stream.running().ring().isGroup();
    }

    private long reduction(long size) {
        return isReductionFree ? 0 : ACCESSES * (long) (size / bandwidth * NS_PER_S);
    }
}
