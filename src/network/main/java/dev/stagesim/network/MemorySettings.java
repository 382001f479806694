package dev.stagesim.network;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.nio.file.Path;

/** Memory outside the NPUs, for memory nodes of traces: the section {@code memory}. */
public sealed interface MemorySettings
        permits MemorySettings.None,
                MemorySettings.PerNpu,
                MemorySettings.PerNode,
                MemorySettings.Pool,
                MemorySettings.File {
    @Variant("none | No remote memory; a trace with memory nodes is an error.")
    record None() implements MemorySettings {}

    @Variant("per_npu | A memory for each NPU.")
    record PerNpu(
            @Key("Latency of an access. | 0 | ns | 0..1000000000000000000") long latency,
            @Key("Bandwidth. | required | GB/s | 1..1000000000") long bandwidth)
            implements MemorySettings {}

    @Variant("per_node | A memory for each node of several NPUs, which serves one access at a time.")
    record PerNode(
            @Key("Latency of an access. | 0 | ns | 0..1000000000000000000") long latency,
            @Key("Bandwidth. | required | GB/s | 1..1000000000") long bandwidth,
            @Key("Nodes. | required | 1..1000000") int numNodes,
            @Key("NPUs of a node. | required | NPUs | 1..1000000") int numNpusPerNode)
            implements MemorySettings {}

    @Variant("pool | One memory for all NPUs, which serves one access at a time.")
    record Pool(
            @Key("Latency of an access. | 0 | ns | 0..1000000000000000000") long latency,
            @Key("Bandwidth. | required | GB/s | 1..1000000000") long bandwidth)
            implements MemorySettings {}

    @Variant("file | Read from a remote-memory file of ASTRA-sim (JSON).")
    record File(@Key("The file.") Path file) implements MemorySettings {}
}
