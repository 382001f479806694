package dev.stagesim.sim.collective;

/**
 * The step between an NPU and the network that every packet of a collective takes, and the reduction after it.
 *
 * <p>A reduction costs three accesses to the NPU's memory, each cut to whole ns. Packets do not block each other unless
 * the bus is shared.
 */
final class Endpoints {
    private static final int GROUP_DELAY = 10;
    private static final int ACCESSES = 3;
    private static final double NS_PER_SECOND = 1e9;

    private final NpuTimers timers;
    private final long delay;
    private final double bandwidth;
    private final boolean isReductionFree;
    private final LogGpBus[] buses;
    private final SystemSpec system;

    Endpoints(NpuTimers timers, SimulationSpec spec, Streams streams) {
        this.timers = timers;
        this.system = spec.system();
        this.delay = system.endpointDelay();
        this.bandwidth = system.localMemoryBandwidth();
        // The release of 2023 divided by bytes per second and forgot the 1e9, so that nothing was left.
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
            buses[stream.npu.rank].transferOut(stream.slot, (int) size);
        }
    }

    /** A packet goes on after a receipt. */
    void in(Stream stream, long size, boolean isReduced, boolean isSentBack) {
        if (isFast(stream) || buses.length == 0) {
            long then = isReduced ? reduction(size) : -1;
            timers.register(stream.npu.rank, delay(stream), Timer.ENDPOINT, stream.slot, then);
        } else {
            buses[stream.npu.rank].transferIn(stream.slot, (int) size, isReduced, isSentBack);
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
            timers.register(stream.npu.rank, reduction, Timer.REDUCED, stream.slot, 0);
        }
    }

    /** The packet may be used. */
    void pass(Stream stream) {
        if (stream.procedure == null) {
            throw new IllegalStateException("a packet passed after its phase had ended");
        }
        stream.procedure.passed(stream);
    }

    private void crossed(Stream stream, int size, boolean isReduced) {
        waited(stream, isReduced ? reduction(size) : -1);
    }

    private static boolean isFast(Stream stream) {
        return stream.running().ring().isGroup();
    }

    private long delay(Stream stream) {
        return isFast(stream) ? GROUP_DELAY : delay;
    }

    private long reduction(long size) {
        return isReductionFree ? 0 : ACCESSES * (long) (size / bandwidth * NS_PER_SECOND);
    }
}
