package dev.stagesim.io.astra;

import dev.stagesim.sim.collective.Algorithm;
import dev.stagesim.sim.collective.CollectiveKind;
import dev.stagesim.sim.collective.CustomCollective;
import dev.stagesim.sim.collective.DimensionOrder;
import dev.stagesim.sim.collective.QueueOrder;
import dev.stagesim.sim.collective.Roofline;
import dev.stagesim.sim.collective.SharedBus;
import dev.stagesim.sim.collective.SystemSpec;
import dev.stagesim.sim.collective.SystemSpec.Optimization;
import dev.stagesim.sim.collective.SystemSpec.Policy;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a system file says.
 *
 * @param endpointDelay in ns; empty for the default of 10, which is never scaled
 * @param localReductionDelay ns per 100 bytes, for the shared bus
 * @param localMemBw GB/s of 1e9 bytes
 * @param peakPerf TFLOP/s
 * @param bus parameters of the shared bus, when it is on
 * @param implementations algorithm of each dimension, for every collective
 * @param custom prefixes of traces that describe a collective
 * @param perNodeCustom YAML map from node ids to such prefixes
 * @param dimensionOrder how chunks find their order of dimensions
 * @param queueOrder which chunk goes first in a dimension
 */
public record SystemFile(
        Policy policy,
        Optimization optimization,
        int splits,
        int activeChunks,
        Optional<Integer> endpointDelay,
        int localReductionDelay,
        double localMemBw,
        double peakPerf,
        boolean isRoofline,
        boolean isReplayOnly,
        Optional<Bus> bus,
        Map<CollectiveKind, List<Algorithm>> implementations,
        Map<CollectiveKind, String> custom,
        Optional<String> perNodeCustom,
        DimensionOrder.Kind dimensionOrder,
        QueueOrder queueOrder) {
    /** Delay of a packet at an endpoint where none is given, in ns. */
    public static final int DEFAULT_ENDPOINT_DELAY = 10;

    private static final double GIGA = 1e9;
    private static final double TERA = 1e12;

    /** LogGP parameters in ns, as written. */
    public record Bus(double latency, double overhead, double gap, double gapPerByte) {}

    /**
     * What the reference takes on its command line.
     *
     * @param queuesPerDimension queues among which a dimension's chunks are spread
     * @param injectionScale factor of a given endpoint delay
     * @param isRendezvous whether a receiver asks the sender before every message
     */
    public record Options(int queuesPerDimension, double injectionScale, boolean isRendezvous) {
        /** One queue, no scaling, no rendezvous. */
        public static final Options DEFAULT = new Options(1, 1, false);
    }

    public SystemFile {
        EnumMap<CollectiveKind, List<Algorithm>> lists = new EnumMap<>(CollectiveKind.class);
        implementations.forEach((kind, list) -> lists.put(kind, List.copyOf(list)));
        implementations = Collections.unmodifiableMap(lists);
        EnumMap<CollectiveKind, String> prefixes = new EnumMap<>(CollectiveKind.class);
        prefixes.putAll(custom);
        custom = Collections.unmodifiableMap(prefixes);
    }

    /** The system as it is simulated, with the traces of custom collectives read. */
    public SystemSpec spec(
            Options options,
            Map<CollectiveKind, CustomCollective> customTraces,
            Map<Long, CustomCollective> customNodes) {
        return new SystemSpec(
                policy,
                optimization,
                splits,
                activeChunks,
                options.queuesPerDimension(),
                endpointDelay
                        .map(delay -> (int) (delay * options.injectionScale()))
                        .orElse(DEFAULT_ENDPOINT_DELAY),
                localMemBw * GIGA,
                isRoofline ? Optional.of(new Roofline(peakPerf * TERA)) : Optional.empty(),
                isReplayOnly,
                options.isRendezvous(),
                bus.map(this::shared),
                implementations,
                customTraces,
                customNodes);
    }

    /** The reference keeps the parameters as 32-bit floats and cuts the first three to whole numbers. */
    private SharedBus shared(Bus given) {
        return new SharedBus(
                (long) (float) given.latency(),
                (long) (float) given.overhead(),
                (long) (float) given.gap(),
                (float) given.gapPerByte(),
                localReductionDelay);
    }
}
