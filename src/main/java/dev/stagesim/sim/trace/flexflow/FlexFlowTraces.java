package dev.stagesim.sim.trace.flexflow;

import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.LegacyField;
import dev.stagesim.model.trace.LegacyNode;
import dev.stagesim.model.trace.LegacyNodeType;
import dev.stagesim.model.trace.NodeType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The traces of a task graph: one per processor that computes.
 *
 * <p>A transfer becomes a send where it begins and a receive where it ends, both with the task's number and a tag of their
 * own.
 */
public final class FlexFlowTraces {
    /** Metadata of traces of schema 1.0.0. */
    public static final EtMetadata METADATA =
            new EtMetadata("", List.of(EtAttribute.ofText("schema", "1.0.2-chakra.1.0.0")));

    private static final double MICROS = 1e6;

    private final Map<Long, FlexTask> tasks;
    private final Map<Long, Integer> tags = new LinkedHashMap<>();
    private final List<Integer> npus;

    /**
     * Reads a graph.
     *
     * @param source what messages call the file
     * @throws dev.stagesim.model.StageException of kind input that lists everything wrong with it
     */
    public FlexFlowTraces(String source, String text) {
        tasks = FlexFlowGraph.parse(source, text);
        npus = FlexFlowGraph.npus(tasks);
        for (int npu : npus) {
            for (FlexTask task : tasks.values()) {
                if (!task.isCompute() && task.transfer().touches(npu)) {
                    tags.putIfAbsent(task.id(), tags.size());
                }
            }
        }
    }

    /** Processors that have a trace, least first. */
    public List<Integer> npus() {
        return npus;
    }

    private List<FlexTask> tasksOf(int npu) {
        List<FlexTask> own = new ArrayList<>();
        for (FlexTask task : FlexFlowGraph.sorted(tasks).values()) {
            if (task.isCompute() ? task.device() == npu : task.transfer().touches(npu)) {
                own.add(task);
            }
        }
        return own;
    }

    /**
     * The trace of a processor in schema 0.0.1, as the reference writes it: a computation keeps parents on other
     * processors.
     *
     * @param megahertz clock of the processors
     */
    public List<LegacyNode> legacy(int npu, long megahertz) {
        List<LegacyNode> nodes = new ArrayList<>();
        for (FlexTask task : tasksOf(npu)) {
            if (task.isCompute()) {
                // The reference rounds half to even.
                long cycles = (long) Math.rint(task.seconds() * (megahertz * 1_000_000.0));
                nodes.add(LegacyNode.of(task.id(), "COMP_NODE_" + task.name(), LegacyNodeType.COMP_NODE)
                        .with(LegacyField.SIMULATED_RUN_TIME, cycles)
                        .withParents(ids(task.parents())));
                continue;
            }
            boolean isSend = task.transfer().source() == npu;
            LegacyNodeType type = isSend ? LegacyNodeType.COMM_SEND_NODE : LegacyNodeType.COMM_RECV_NODE;
            nodes.add(LegacyNode.of(task.id(), type.name() + "_" + task.name(), type)
                    .with(LegacyField.COMM_SRC, task.transfer().source())
                    .with(LegacyField.COMM_DST, task.transfer().destination())
                    .with(LegacyField.COMM_SIZE, task.transfer().bytes())
                    .with(LegacyField.COMM_TAG, tag(task))
                    .withParents(ids(task.parents().stream()
                            .filter(parent -> task(parent).device() == npu)
                            .toList())));
        }
        return nodes;
    }

    private FlexTask task(long id) {
        FlexTask found = tasks.get(id);
        if (found == null) {
            throw new IllegalStateException("no task " + id);
        }
        return found;
    }

    private int tag(FlexTask task) {
        return tags.getOrDefault(task.id(), 0);
    }

    private static long[] ids(List<Long> parents) {
        return parents.stream().mapToLong(Long::longValue).toArray();
    }

    /** The trace of a processor in schema 1.0.0, times in whole microseconds; parents are on the same processor. */
    public List<EtNode> nodes(int npu) {
        List<EtNode> nodes = new ArrayList<>();
        List<FlexTask> own = tasksOf(npu);
        List<Long> there = own.stream().map(FlexTask::id).sorted().toList();
        for (FlexTask task : own) {
            long[] parents = ids(task.parents().stream()
                    .filter(parent -> Collections.binarySearch(there, parent) >= 0)
                    .distinct()
                    .toList());
            nodes.add((task.isCompute() ? compute(task) : transfer(task, npu)).withDataDeps(parents));
        }
        return nodes;
    }

    private static EtNode compute(FlexTask task) {
        // What takes any time takes a microsecond at least, as none would count as a nanosecond.
        long micros = Math.max(task.seconds() > 0 ? 1 : 0, (long) Math.rint(task.seconds() * MICROS));
        return EtNode.of(
                        task.id(),
                        "COMP_NODE_" + task.name(),
                        NodeType.COMP_NODE,
                        EtAttribute.ofBool(EtNames.IS_CPU_OP, false))
                .withDuration(micros);
    }

    private EtNode transfer(FlexTask task, int npu) {
        boolean isSend = task.transfer().source() == npu;
        NodeType type = isSend ? NodeType.COMM_SEND_NODE : NodeType.COMM_RECV_NODE;
        return EtNode.of(
                task.id(),
                type.name() + "_" + task.name(),
                type,
                EtAttribute.ofBool(EtNames.IS_CPU_OP, false),
                EtAttribute.ofInt(EtNames.COMM_SRC, task.transfer().source()),
                EtAttribute.ofInt(EtNames.COMM_DST, task.transfer().destination()),
                EtAttribute.ofLong(EtNames.COMM_SIZE, task.transfer().bytes()),
                EtAttribute.ofInt(EtNames.COMM_TAG, tag(task)));
    }
}
