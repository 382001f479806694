package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.procedure.Algorithm;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.procedure.LogicalRing;
import dev.stagesim.sim.collective.procedure.Phase;
import dev.stagesim.sim.collective.procedure.Phase.Allocator;
import dev.stagesim.sim.collective.procedure.Procedure;
import dev.stagesim.sim.collective.spec.SystemSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** Phases of a collective's chunks, cached by the order of dimensions. */
final class PhaseOrders {
    private final CollectiveKind kind;
    private final SystemSpec.Optimization optimization;
    private final List<Algorithm> algorithms;
    private final List<LogicalRing> rings;
    private final int[] parts;
    private final long chunk;
    private final boolean isExact;
    private final Phase[] ascending;
    private final TreeMap<String, Phase[]> made = new TreeMap<>();

    /**
     * Creates the phases in ascending order.
     *
     * @param parts participating dimensions, ascending
     * @param isExact whether sizes are rounded up, so that no byte is lost
     */
    PhaseOrders(
            CollectiveKind kind,
            SystemSpec.Optimization optimization,
            List<Algorithm> algorithms,
            List<LogicalRing> rings,
            int[] parts,
            long chunk,
            boolean isExact) {
        this.kind = kind;
        this.optimization = optimization;
        this.algorithms = algorithms;
        this.rings = rings;
        this.parts = parts;
        this.chunk = chunk;
        this.isExact = isExact;
        this.ascending = phases(parts);
    }

    /** Participating dimensions, ascending. Callers must not modify the array. */
    int[] parts() {
        return parts;
    }

    /** Number of participating NPUs. */
    int members() {
        int members = 1;
        for (int part : parts) {
            members *= rings.get(part).size();
        }
        return members;
    }

    CollectiveKind kind() {
        return kind;
    }

    Phase[] ascending() {
        return ascending;
    }

    /** Phases of a chunk with this order of dimensions. */
    Phase[] in(int[] order) {
        StringBuilder key = new StringBuilder();
        for (int dimension : order) {
            key.append((char) dimension);
        }
        return made.computeIfAbsent(key.toString(), unused -> phases(order));
    }

    /** Maximum number of messages that an NPU sends per chunk, in any order of dimensions. */
    double messages() {
        boolean halves = parts.length > 1 && isHalved();
        double messages = 0;
        for (int d : parts) {
            Procedure procedure = algorithms.get(d).procedure();
            int npus = rings.get(d).size();
            messages += halves
                    ? procedure.messages(CollectiveKind.REDUCE_SCATTER, npus)
                            + procedure.messages(CollectiveKind.ALL_GATHER, npus)
                    : procedure.messages(kind, npus);
        }
        return messages;
    }

    /** True if no procedure is asymmetric between NPUs in the same state. */
    boolean isFoldable() {
        return Arrays.stream(parts).allMatch(d -> algorithms
                .get(d)
                .procedure()
                .asymmetry(rings.get(d).size())
                .isEmpty());
    }

    private boolean isHalved() {
        return kind == CollectiveKind.ALL_REDUCE && optimization == SystemSpec.Optimization.LOCAL_BW_AWARE;
    }

    private Phase[] phases(int[] order) {
        List<Phase> phases = new ArrayList<>();
        int last = order.length - 1;
        if (isHalved()) {
            for (int i = 0; i < last; i++) {
                add(phases, CollectiveKind.REDUCE_SCATTER, order[i], Allocator.FIRST_HALF);
            }
            if (last >= 0) {
                add(phases, CollectiveKind.ALL_REDUCE, order[last], Allocator.FIRST_HALF);
            }
            for (int i = last - 1; i >= 0; i--) {
                add(phases, CollectiveKind.ALL_GATHER, order[i], Allocator.SECOND_HALF);
            }
        } else if (kind == CollectiveKind.ALL_GATHER) {
            for (int i = last; i >= 0; i--) {
                add(phases, kind, order[i], Allocator.GENERAL);
            }
        } else {
            for (int dimension : order) {
                add(phases, kind, dimension, Allocator.GENERAL);
            }
        }
        return phases.toArray(Phase[]::new);
    }

    private void add(List<Phase> phases, CollectiveKind step, int d, Allocator allocator) {
        long size = phases.isEmpty() ? chunk : phases.get(phases.size() - 1).finalSize();
        phases.add(new Phase(step, d, allocator, algorithms.get(d), rings.get(d), size, isExact));
    }
}
