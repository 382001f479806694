package dev.stagesim.sim.collective.spec;

import dev.stagesim.sim.collective.procedure.Algorithm;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.trace.CustomCollective;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Settings common to all NPUs.
 *
 * @param endpointDelay delay of a packet at its endpoint in ns, after scaling
 * @param localMemoryBandwidth bandwidth of the NPU's memory in bytes/s; 0 makes reductions free
 * @param roofline if present, computations take the roofline time
 * @param replayOnly whether every node takes its recorded duration
 * @param rendezvous whether receivers request every message
 * @param sharedBus if present, packets queue for the bus instead of waiting the endpoint delay
 */
public record SystemSpec(
        Scheduling scheduling,
        int endpointDelay,
        double localMemoryBandwidth,
        Optional<Roofline> roofline,
        boolean replayOnly,
        boolean rendezvous,
        Optional<SharedBus> sharedBus,
        Procedures procedures) {
    /** Priority of collectives in a queue. */
    public enum Policy {
        LIFO,
        FIFO,
        EXPLICIT
    }

    /** Composition of an all-reduce over several dimensions. */
    public enum Optimization {
        /** An all-reduce along each dimension in turn. */
        BASELINE,
        /** Reduce-scatter up, all-reduce along the last dimension, all-gather down. */
        LOCAL_BW_AWARE
    }

    /**
     * Order of collectives and their chunks.
     *
     * @param policy priority of collectives
     * @param splits chunks per collective, at least 1
     * @param activeChunks concurrent chunks per dimension
     * @param queuesPerDimension queues that share a dimension's chunks
     * @param dimensionOrder order of dimensions for chunks
     * @param queueOrder priority of chunks within a dimension
     */
    public record Scheduling(
            Policy policy,
            int splits,
            int activeChunks,
            int queuesPerDimension,
            DimensionOrder dimensionOrder,
            ChunkOrder queueOrder) {}

    /**
     * Procedures of the collectives.
     *
     * @param optimization composition of an all-reduce over several dimensions
     * @param implementations algorithm of each dimension, by collective
     * @param custom collectives defined by one trace per rank
     * @param customNodes custom collectives of single nodes by id; they take precedence
     */
    public record Procedures(
            Optimization optimization,
            Map<CollectiveKind, List<Algorithm>> implementations,
            Map<CollectiveKind, CustomCollective> custom,
            Map<Long, CustomCollective> customNodes) {
        public Procedures {
            EnumMap<CollectiveKind, List<Algorithm>> lists = new EnumMap<>(CollectiveKind.class);
            implementations.forEach((kind, list) -> lists.put(kind, List.copyOf(list)));
            implementations = Collections.unmodifiableMap(lists);
            custom = custom.isEmpty() ? Map.of() : Collections.unmodifiableMap(new EnumMap<>(custom));
            customNodes = Collections.unmodifiableMap(new LinkedHashMap<>(customNodes));
        }
    }
}
