package dev.stagesim.settings;

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
    /** None; a trace with memory nodes is an error. */
    @Variant(value = "none", doc = "None; a trace with memory nodes is an error.")
    record None() implements MemorySettings {}

    /** One for each NPU. */
    @Variant(value = "per_npu", doc = "A memory for each NPU.")
    record PerNpu(
            @Key(doc = "Latency of an access.", unit = "ns", def = "0", min = "0") long latency,
            @Key(doc = "Bandwidth.", unit = "GB/s", min = "1") long bandwidth)
            implements MemorySettings {}

    /** One for each node of several NPUs, an access at a time. */
    @Variant(value = "per_node", doc = "A memory for each node of several NPUs, which serves one access at a time.")
    record PerNode(
            @Key(doc = "Latency of an access.", unit = "ns", def = "0", min = "0") long latency,
            @Key(doc = "Bandwidth.", unit = "GB/s", min = "1") long bandwidth,
            @Key(doc = "Nodes.", min = "1") int numNodes,
            @Key(doc = "NPUs of a node.", unit = "NPUs", min = "1") int numNpusPerNode)
            implements MemorySettings {}

    /** One for all, an access at a time. */
    @Variant(value = "pool", doc = "One memory for all NPUs, which serves one access at a time.")
    record Pool(
            @Key(doc = "Latency of an access.", unit = "ns", def = "0", min = "0") long latency,
            @Key(doc = "Bandwidth.", unit = "GB/s", min = "1") long bandwidth)
            implements MemorySettings {}

    /** A remote-memory file of the reference's format. */
    @Variant(value = "file", doc = "Said in a remote-memory file of ASTRA-sim (JSON).")
    record File(@Key(doc = "The file.") Path file) implements MemorySettings {}
}
