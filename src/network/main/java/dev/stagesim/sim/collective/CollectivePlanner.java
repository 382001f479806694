package dev.stagesim.sim.collective;

import dev.stagesim.model.KeyNames;
import dev.stagesim.sim.collective.procedure.Algorithm;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.procedure.Group;
import dev.stagesim.sim.collective.procedure.LogicalRing;
import dev.stagesim.sim.collective.procedure.Procedure;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.SimulationSpec;
import dev.stagesim.sim.collective.spec.SystemSpec;
import dev.stagesim.sim.collective.trace.CustomCollective;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.collective.trace.TraceErrors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Converts collective nodes into chunks and phases. */
final class CollectivePlanner {
    private static final int[] KINDS = {0, 2, 7, 6};

    private final SimulationSpec spec;
    private final int npus;
    private final TreeMap<Integer, Group> groups = new TreeMap<>();

    /** Nodes with equal parameters share one plan, and all NPUs share its phases. */
    private final Map<List<?>, NodePlan> plans = new LinkedHashMap<>();

    CollectivePlanner(SimulationSpec spec) {
        this.spec = spec;
        this.npus = spec.npus();
        int all = spec.groups().groups().size();
        spec.groups().groups().forEach((id, ranks) -> {
            int index = groups.size() + 1;
            groups.put(id, isExact() ? Group.of(id, ranks, index, all) : Group.asReference(id, ranks));
        });
    }

    /**
     * Returns the plan of a collective.
     *
     * @throws dev.stagesim.model.StageException of kind input if the node or the machine is invalid
     */
    NodePlan plan(RankTrace trace, int node) {
        if (!spec.system().procedures().customNodes().isEmpty()) {
            return make(trace, node);
        }
        List<Boolean> involved = new ArrayList<>(trace.involved[node].length);
        for (boolean flag : trace.involved[node]) {
            involved.add(flag);
        }
        // A list, because a record would generate its hash function at run time.
        List<?> parameters = Arrays.asList(
                trace.present[node],
                trace.malformed[node],
                trace.commType[node],
                trace.commSize[node],
                trace.group[node],
                involved);
        NodePlan plan = plans.get(parameters);
        if (plan == null) {
            plan = make(trace, node);
            plans.put(parameters, plan);
        }
        return plan;
    }

    private NodePlan make(RankTrace trace, int node) {
        CollectiveKind kind = kind(trace, node);
        TraceErrors.require(trace, node, RankTrace.COMM_SIZE, "comm_size");
        Optional<Group> group = group(trace, node);
        SystemSpec system = spec.system();
        Optional<CustomCollective> custom = Optional.ofNullable(system.procedures()
                .customNodes()
                .getOrDefault(trace.id[node], system.procedures().custom().get(kind)));
        Chunks chunks = chunks(trace, node, kind);
        if (custom.isPresent()) {
            if (spec.compat() != AstraCompat.NONE && chunks.count() != 1) {
                throw TraceErrors.node(
                        trace,
                        node,
                        "a custom collective runs as one chunk, and this one is divided into " + chunks.count()
                                + "; the number of splits must be 1");
            }
            PhaseOrders none = new PhaseOrders(
                    kind,
                    system.procedures().optimization(),
                    List.of(),
                    List.of(),
                    new int[0],
                    chunks.size(),
                    isExact());
            return new NodePlan(none, none, 0, 1, group, custom);
        }
        PhaseOrders regular = phases(trace, node, kind, group, chunks.size());
        PhaseOrders larger = chunks.larger() == 0 ? regular : phases(trace, node, kind, group, chunks.size() + 1);
        return new NodePlan(regular, larger, chunks.larger(), chunks.count(), group, custom);
    }

    /** True if uneven sizes are rounded up; the reference truncates them. */
    private boolean isExact() {
        return spec.compat() == AstraCompat.NONE;
    }

    /**
     * Division of a collective.
     *
     * @param count number of chunks
     * @param size bytes of a chunk
     * @param larger number of chunks that are one byte larger; they come first
     */
    private record Chunks(int count, long size, int larger) {}

    private Chunks chunks(RankTrace trace, int node, CollectiveKind kind) {
        long bytes = trace.commSize[node];
        TraceErrors.checkSize(trace, node);
        int splits = spec.system().scheduling().splits();
        return isExact() ? spread(trace, node, bytes, splits) : asReference(trace, node, kind, bytes, splits);
    }

    /** Chunks whose sizes differ by at most one byte and sum up to the collective's size. */
    private static Chunks spread(RankTrace trace, int node, long bytes, int splits) {
        if (bytes == 0) {
            throw TraceErrors.node(trace, node, "a collective must have at least one byte, and comm_size is 0");
        }
        int count = (int) Math.min(bytes, splits);
        return new Chunks(count, bytes / count, (int) (bytes % count));
    }

    /** The reference's chunks: equal sizes of at least the number of NPUs, and one more chunk for the remainder. */
    private Chunks asReference(RankTrace trace, int node, CollectiveKind kind, long bytes, int splits) {
        long size = bytes / splits;
        long total = bytes;
        if (kind != CollectiveKind.ALL_GATHER && size < npus) {
            size = npus;
            total = (long) splits * npus;
        }
        if (size == 0) {
            throw TraceErrors.node(
                    trace, node, "an all-gather of " + bytes + " bytes cannot be split into " + splits + " chunks");
        }
        return new Chunks(Math.toIntExact((total - 1) / size + 1), size, 0);
    }

    private static CollectiveKind kind(RankTrace trace, int node) {
        TraceErrors.require(trace, node, RankTrace.COMM_TYPE, "comm_type");
        return kind(trace.commType[node])
                .orElseThrow(() ->
                        TraceErrors.node(trace, node, "collective type " + trace.commType[node] + " is not supported"));
    }

    /** Returns the kind of collective that traces encode with a number. */
    static Optional<CollectiveKind> kind(int type) {
        for (int i = 0; i < KINDS.length; i++) {
            if (KINDS[i] == type) {
                return Optional.of(CollectiveKind.values()[i]);
            }
        }
        return Optional.empty();
    }

    private Optional<Group> group(RankTrace trace, int node) {
        if ((trace.malformed[node] & RankTrace.PG_NAME) != 0) {
            throw TraceErrors.node(trace, node, "pg_name must be a text");
        }
        String name = trace.group[node];
        if (name.isEmpty() || name.equals("0")) {
            return Optional.empty();
        }
        int id;
        try {
            id = Integer.parseInt(name.trim());
        } catch (NumberFormatException notNumber) {
            throw TraceErrors.node(trace, node, "pg_name '" + name + "' is not the number of a communicator group");
        }
        Group group = groups.get(id);
        if (group == null) {
            throw TraceErrors.node(
                    trace,
                    node,
                    "communicator group " + id + " does not exist; "
                            + (groups.isEmpty() ? "no groups are given" : "known groups are " + groups.keySet()));
        }
        return Optional.of(group);
    }

    private PhaseOrders phases(RankTrace trace, int node, CollectiveKind kind, Optional<Group> named, long chunk) {
        List<Algorithm> algorithms =
                spec.system().procedures().implementations().getOrDefault(kind, List.of());
        if (algorithms.isEmpty()) {
            throw TraceErrors.node(
                    trace,
                    node,
                    "no algorithm is given for " + KeyNames.constant(kind).replace('_', '-'));
        }
        Optional<Group> group = named.filter(g -> g.size() != npus);
        List<Algorithm> used = new ArrayList<>(algorithms);
        List<LogicalRing> rings = new ArrayList<>();
        boolean[] takesPart;
        if (group.isPresent()) {
            used = List.of(algorithms.size() == 1 ? algorithms.get(0) : Algorithm.RING);
            rings.add(LogicalRing.of(group.get()));
            takesPart = new boolean[] {group.get().size() > 1};
        } else {
            rings = rings(algorithms);
            takesPart = takesPart(trace, node, rings, named.isPresent());
        }
        check(trace, node, kind, used, rings, takesPart);
        int[] parts =
                IntStream.range(0, takesPart.length).filter(d -> takesPart[d]).toArray();
        if (parts.length == 0) {
            throw TraceErrors.node(trace, node, "the collective involves no dimension, so it never completes");
        }
        return new PhaseOrders(kind, spec.system().procedures().optimization(), used, rings, parts, chunk, isExact());
    }

    /** Returns a ring for each dimension. A flat algorithm has one ring of all NPUs, which ends the list. */
    private List<LogicalRing> rings(List<Algorithm> algorithms) {
        List<LogicalRing> rings = new ArrayList<>();
        int stride = 1;
        for (int d = 0; d < algorithms.size(); d++) {
            if (algorithms.get(d).flat()) {
                rings.add(LogicalRing.of(npus, 1));
                break;
            }
            int size = spec.dimensions().get(d);
            rings.add(LogicalRing.of(size, stride));
            stride *= size;
        }
        return rings;
    }

    private static boolean[] takesPart(RankTrace trace, int node, List<LogicalRing> rings, boolean all) {
        if ((trace.malformed[node] & RankTrace.INVOLVED_DIM) != 0) {
            throw TraceErrors.node(trace, node, "involved_dim must be a list of booleans");
        }
        boolean[] takesPart = new boolean[rings.size()];
        boolean[] involved = trace.involved[node];
        for (int d = 0; d < takesPart.length; d++) {
            boolean isListed = trace.has(node, RankTrace.INVOLVED_DIM) && !all;
            if (isListed && d >= involved.length) {
                throw TraceErrors.node(
                        trace,
                        node,
                        "involved_dim has " + involved.length + " entries, and the collective has " + rings.size()
                                + " dimensions");
            }
            takesPart[d] = rings.get(d).size() > 1 && (!isListed || involved[d]);
        }
        return takesPart;
    }

    private void check(
            RankTrace trace,
            int node,
            CollectiveKind kind,
            List<Algorithm> used,
            List<LogicalRing> rings,
            boolean[] takesPart) {
        for (int d = 0; d < takesPart.length; d++) {
            boolean isLast = d == takesPart.length - 1
                    && !used.get(d).flat()
                    && !rings.get(d).isGroup();
            int beyond = isLast ? spec.dimensions().size() - takesPart.length : 0;
            Procedure.Placement place = new Procedure.Placement(kind, rings.get(d), d, beyond, isExact());
            Optional<String> reason = takesPart[d] ? used.get(d).procedure().refusal(place) : Optional.empty();
            if (reason.isPresent()) {
                throw TraceErrors.node(trace, node, reason.get());
            }
        }
    }
}
