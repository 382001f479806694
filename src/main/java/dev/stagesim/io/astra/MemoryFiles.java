package dev.stagesim.io.astra;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.collective.Compat;
import dev.stagesim.sim.collective.MemorySpec;
import dev.stagesim.sim.collective.MemorySpec.Kind;
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

    /**
     * Reads a file.
     *
     * @throws dev.stagesim.model.StageException (input) with all problems
     */
    public static Reading<MemoryFile> read(Path file, Compat compat) throws IOException {
        Members members = new Members(Json.read(file), compat != Compat.NONE);
        if (!members.has("memory-type")) {
            members.refuse("memory-type", "memory-type is missing", TYPES.keySet(), "");
        }
        Kind kind = members.word("memory-type", TYPES, Kind.NONE);
        long latency = members.natural("remote-mem-latency", 0);
        long bandwidth = members.natural("remote-mem-bw", 0);
        int nodes = members.whole("num-nodes", 0, 0);
        int npusPerNode = members.whole("num-npus-per-node", 0, 0);
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
        boolean isPerNode = kind == Kind.PER_NODE;
        List<String> warnings = members.finish();
        MemorySpec spec = kind == Kind.NONE
                ? MemorySpec.ABSENT
                : new MemorySpec(kind, latency, bandwidth, isPerNode ? npusPerNode : 0);
        return new Reading<>(new MemoryFile(spec, isPerNode ? nodes : 0), warnings);
    }

    /** The file's text. */
    public static JsonValue.Obj json(MemoryFile memory) {
        MemorySpec spec = memory.spec();
        JsonObjectBuilder out = JsonValue.object();
        TYPES.forEach((name, kind) -> {
            if (kind == spec.kind()) {
                out.put("memory-type", name);
            }
        });
        if (spec.kind() != Kind.NONE) {
            out.put("remote-mem-latency", spec.latency()).put("remote-mem-bw", spec.bandwidth());
        }
        if (spec.kind() == Kind.PER_NODE) {
            out.put("num-nodes", memory.nodes()).put("num-npus-per-node", spec.npusPerNode());
        }
        return out.build();
    }
}
