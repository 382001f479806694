package dev.stagesim.sim.collective;

import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What every NPU has in common.
 *
 * @param policy which collective's chunks go first
 * @param optimization how an all-reduce over several dimensions is composed
 * @param splits chunks a collective is divided into, at least 1
 * @param activeChunks chunks that may run in a dimension at once
 * @param queuesPerDimension queues among which a dimension's chunks are spread
 * @param endpointDelay ns that a packet spends at its endpoint, scaled already
 * @param localMemoryBandwidth of the NPU's memory in bytes/s; 0 makes reductions free
 * @param roofline when present, computations take what operations and bytes need
 * @param replayOnly whether every node merely takes its recorded duration
 * @param rendezvous whether a receiver asks the sender before every message
 * @param sharedBus when present, packets queue for the bus instead of waiting the endpoint delay
 * @param implementations algorithm of each dimension, by collective
 * @param custom collectives that run a trace of their own on every rank
 * @param customNodes likewise, for single nodes by id; these go first
 * @param dimensionOrder in which order chunks go through the dimensions
 * @param queueOrder which chunk goes first in a dimension
 */
public record SystemSpec(
        Policy policy,
        Optimization optimization,
        int splits,
        int activeChunks,
        int queuesPerDimension,
        int endpointDelay,
        double localMemoryBandwidth,
        Optional<Roofline> roofline,
        boolean replayOnly,
        boolean rendezvous,
        Optional<SharedBus> sharedBus,
        Map<CollectiveKind, List<Algorithm>> implementations,
        Map<CollectiveKind, CustomCollective> custom,
        Map<Long, CustomCollective> customNodes,
        DimensionOrder dimensionOrder,
        QueueOrder queueOrder) {
    /** Order of collectives in a queue. */
    public enum Policy {
        LIFO,
        FIFO,
        EXPLICIT
    }

    /** How an all-reduce over several dimensions is composed. */
    public enum Optimization {
        /** An all-reduce along each dimension in turn. */
        BASELINE,
        /** Reduce-scatter up, all-reduce along the last dimension, all-gather down. */
        LOCAL_BW_AWARE
    }

    public SystemSpec {
        EnumMap<CollectiveKind, List<Algorithm>> lists = new EnumMap<>(CollectiveKind.class);
        implementations.forEach((kind, list) -> lists.put(kind, List.copyOf(list)));
        implementations = Collections.unmodifiableMap(lists);
        custom = custom.isEmpty() ? Map.of() : Collections.unmodifiableMap(new EnumMap<>(custom));
        customNodes = Collections.unmodifiableMap(new LinkedHashMap<>(customNodes));
    }
}
