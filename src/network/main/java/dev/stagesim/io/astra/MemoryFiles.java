package dev.stagesim.io.astra;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.network.MemorySettings;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.MemorySpec;
import dev.stagesim.sim.collective.spec.MemorySpec.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and writes remote-memory files (JSON). */
public final class MemoryFiles {
    private static final Map<String, Kind> TYPES = new LinkedHashMap<>();

    static {
        TYPES.put("NO_MEMORY_EXPANSION", Kind.NONE);
        TYPES.put("PER_NPU_MEMORY_EXPANSION", Kind.PER_NPU);
        TYPES.put("PER_NODE_MEMORY_EXPANSION", Kind.PER_NODE);
        TYPES.put("MEMORY_POOL", Kind.POOL);
    }

    private MemoryFiles() {}

    public static Reading<MemorySettings> read(Path file, AstraCompat compat) throws IOException {
        Members members = new Members(Json.read(file), compat != AstraCompat.NONE);
        if (!members.has("memory-type")) {
            members.refuse("memory-type", "memory-type is missing", TYPES.keySet(), "");
        }
        Kind kind = members.word("memory-type", TYPES, Kind.NONE);
        long latency = members.natural("remote-mem-latency", 0);
        long bandwidth = members.natural("remote-mem-bw", 0);
        // The reference reads these members for this kind only, so other files may contain any value.
        boolean hasNodes = kind == Kind.PER_NODE || !members.isLenient();
        int nodes = hasNodes ? members.whole("num-nodes", 0, 0) : 0;
        int npusPerNode = hasNodes ? members.whole("num-npus-per-node", 0, 0) : 0;
        if (kind == Kind.PER_NODE) {
            for (String key : List.of("num-nodes", "num-npus-per-node")) {
                if (!members.has(key) || members.whole(key, 0, 0) < 1) {
                    members.refuse(key, key + " must be at least 1 with PER_NODE_MEMORY_EXPANSION");
                }
            }
        } else {
            members.ignored("num-nodes", "has no effect: only PER_NODE_MEMORY_EXPANSION has nodes");
            members.ignored("num-npus-per-node", "has no effect: only PER_NODE_MEMORY_EXPANSION has nodes");
        }
        if (kind == Kind.NONE) {
            members.ignored("remote-mem-latency", "has no effect: there is no memory expansion");
            members.ignored("remote-mem-bw", "has no effect: there is no memory expansion");
        } else if (bandwidth == 0 && !members.isLenient() && members.isSound("remote-mem-bw")) {
            members.refuse("remote-mem-bw", "must be at least 1 GB/s");
        }
        MemorySettings memory =
                switch (kind) {
                    case NONE -> new MemorySettings.None();
                    case PER_NPU -> new MemorySettings.PerNpu(latency, bandwidth);
                    case PER_NODE -> new MemorySettings.PerNode(latency, bandwidth, nodes, npusPerNode);
                    case POOL -> new MemorySettings.Pool(latency, bandwidth);
                };
        return new Reading<>(memory, members.finish());
    }

    /** The memory in the form of the simulator. */
    public static MemorySpec spec(MemorySettings memory) {
        if (memory instanceof MemorySettings.PerNpu npu) {
            return new MemorySpec(Kind.PER_NPU, npu.latency(), npu.bandwidth(), 0);
        }
        if (memory instanceof MemorySettings.PerNode node) {
            return new MemorySpec(Kind.PER_NODE, node.latency(), node.bandwidth(), node.numNpusPerNode());
        }
        return memory instanceof MemorySettings.Pool pool
                ? new MemorySpec(Kind.POOL, pool.latency(), pool.bandwidth(), 0)
                : MemorySpec.ABSENT;
    }

    public static JsonValue.Obj json(MemorySettings memory) {
        MemorySpec spec = spec(memory);
        JsonObjectBuilder out = JsonValue.object();
        TYPES.forEach((name, kind) -> {
            if (kind == spec.kind()) {
                out.put("memory-type", name);
            }
        });
        if (spec.kind() != Kind.NONE) {
            out.put("remote-mem-latency", spec.latency()).put("remote-mem-bw", spec.bandwidth());
        }
        if (memory instanceof MemorySettings.PerNode node) {
            out.put("num-nodes", node.numNodes()).put("num-npus-per-node", node.numNpusPerNode());
        }
        return out.build();
    }
}
