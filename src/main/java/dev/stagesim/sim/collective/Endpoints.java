package dev.stagesim.sim.collective;

import static dev.stagesim.model.Nanos.NS_PER_S;

/**
 * The step between an NPU and the network that every packet of a collective takes, and the reduction after it.
 *
 * <p>A reduction costs three accesses to the NPU's memory, each cut to whole ns. Reductions of one NPU wait for each
 * other, since they share its memory; in the reference any number run at once, and packets of communicator groups pass
 * in 10 ns whatever the endpoint delay.
 */
final class Endpoints {
    private static final int GROUP_DELAY = 10;
    private static final int ACCESSES = 3;

    private final NpuTimers timers;
    private final long delay;
    private final double bandwidth;
    private final boolean isReductionFree;
    private final boolean isReference;

    /** By NPU, when its memory is done with the reductions so far. */
    private final long[] memoryFree;

    private final LogGpBus[] buses;
    private final SystemSpec system;

    Endpoints(NpuTimers timers, SimulationSpec spec, Streams streams) {
        this.timers = timers;
        this.system = spec.system();
        this.delay = system.endpointDelay();
        this.bandwidth = system.localMemoryBandwidth();
        // The release of 2023 divided by bytes per second and forgot the 1e9, so that nothing was left.
        this.isReference = spec.compat() != Compat.NONE;
        this.memoryFree = new long[isReference ? 0 : spec.npus()];
        this.isReductionFree = bandwidth == 0 || spec.compat() == Compat.ASTRA_2023;
        this.buses = new LogGpBus[system.sharedBus().isPresent() ? spec.npus() : 0];
        for (int npu = 0; npu < buses.length; npu++) {
            buses[npu] = new LogGpBus(
                    npu,
                    timers,
                    system.sharedBus().orElseThrow(),
                    (slot, size, isReduced) -> crossed(streams.get(slot), size, isReduced));
        }
    }

    /** A packet starts out. */
    void out(Stream stream, long size) {
        if (isFast(stream) || buses.length == 0) {
            timers.register(stream.npu.rank, delay(stream), Timer.ENDPOINT, stream.slot, -1);
        } else {
            buses[stream.npu.rank].transferOut(stream.slot, checked(size));
        }
    }

    /** A packet goes on after a receipt. */
    void in(Stream stream, long size, boolean isReduced, boolean isSentBack) {
        if (isFast(stream) || buses.length == 0) {
            long then = isReduced ? reduction(size) : -1;
            timers.register(stream.npu.rank, delay(stream), Timer.ENDPOINT, stream.slot, then);
        } else {
            buses[stream.npu.rank].transferIn(stream.slot, checked(size), isReduced, isSentBack);
        }
    }

    /** Bus of an NPU, which exists only when it is shared. */
    LogGpBus bus(int npu) {
        return buses[npu];
    }

    /** The packet is through; the reduction, if any, comes next. */
    void waited(Stream stream, long reduction) {
        if (reduction < 0) {
            pass(stream);
        } else {
            timers.register(stream.npu.rank, wait(stream.npu.rank, reduction), Timer.REDUCED, stream.slot, 0);
        }
    }

    /** Time until a reduction that begins now is done. */
    private long wait(int npu, long reduction) {
        if (isReference) {
            return reduction;
        }
        memoryFree[npu] = Math.max(memoryFree[npu], timers.now()) + reduction;
        return memoryFree[npu] - timers.now();
    }

    /** Sizes on the reference's bus have 32 bits. */
    private long checked(long size) {
        if (isReference && size > Integer.MAX_VALUE) {
            throw TraceErrors.system(
                    "shared bus",
                    "a message of " + size + " bytes crosses it, and the reference's bus takes at most 2^31-1;"
                            + " raise the number of splits, or leave compat at none");
        }
        return size;
    }

    /** The packet may be used. */
    void pass(Stream stream) {
        stream.run().passed();
    }

    private void crossed(Stream stream, long size, boolean isReduced) {
        waited(stream, isReduced ? reduction(size) : -1);
    }

    private boolean isFast(Stream stream) {
        return isReference && stream.running().ring().isGroup();
    }

    private long delay(Stream stream) {
        return isFast(stream) ? GROUP_DELAY : delay;
    }

    private long reduction(long size) {
        return isReductionFree ? 0 : ACCESSES * (long) (size / bandwidth * NS_PER_S);
    }
}
