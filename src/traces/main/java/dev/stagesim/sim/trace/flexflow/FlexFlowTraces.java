package dev.stagesim.sim.trace.flexflow;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
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
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Execution traces of a FlexFlow task graph, one per compute processor.
 *
 * <p>A transfer becomes a send node on its source and a receive node on its destination. Both have the task's number as
 * id and a unique tag.
 */
public final class FlexFlowTraces {
    public static final EtMetadata METADATA =
            new EtMetadata("", List.of(EtAttribute.ofText("schema", "1.0.2-chakra.1.0.0")));

    private static final double MICROS = 1e6;

    private final Map<Long, FlexTask> tasks;
    private final Map<Long, Integer> tags = new LinkedHashMap<>();
    private final List<Integer> npus;

    /**
     * Reads a graph.
     *
     * @param source name of the file in messages
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

    /** Processors that have a trace, in ascending order. */
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
     * Returns the trace of a processor in schema 0.0.1. As in the reference, a computation keeps parents on other
     * processors.
     *
     * @param megahertz clock rate of the processors
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

    /**
     * Returns the trace of a processor in schema 1.0.0 with times in whole microseconds. Only parents on the same
     * processor are included.
     */
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
        // A positive time takes at least one microsecond, because simulators treat 0 as one nanosecond.
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

    /** A task graph in FlexFlow's DOT export; a node's label describes the task. */
    private static final class FlexFlowGraph {
        static final String CATEGORY = "task graph error";

        /** An edge, or a node with its attributes. Strings may contain brackets. */
        private static final Pattern STATEMENT = Pattern.compile(
                "node(\\d+)\\s*->\\s*node(\\d+)" + "|\\bnode(\\d+)\\s*\\[((?:[^\\]\"]|\"[^\"]*+\")*+)\\]");

        private static final Pattern LABEL = Pattern.compile("label\\s*=\\s*\"\\{?([^\"]*?)\\}?\"");
        private static final int NAME = 1;
        private static final int TYPE = 3;
        private static final int FIRST_VALUE = 4;

        private final String source;
        private final List<Problem> problems = new ArrayList<>();
        private final Map<Long, FlexTask> tasks = new LinkedHashMap<>();

        private FlexFlowGraph(String source) {
            this.source = source;
        }

        /**
         * Reads a graph.
         *
         * @return tasks in file order
         */
        static Map<Long, FlexTask> parse(String source, String text) {
            FlexFlowGraph graph = new FlexFlowGraph(source);
            graph.read(text);
            if (graph.tasks.isEmpty() && graph.problems.isEmpty()) {
                graph.problem(0, text, "expected a DOT graph of tasks, found none");
            }
            StageException.refuse(graph.problems);
            return graph.tasks;
        }

        private void read(String text) {
            List<long[]> edges = new ArrayList<>();
            Matcher statement = STATEMENT.matcher(text);
            while (statement.find()) {
                if (statement.group(3) == null) {
                    edges.add(new long[] {
                        Long.parseLong(statement.group(1)), Long.parseLong(statement.group(2)), statement.start()
                    });
                } else {
                    task(text, statement);
                }
            }
            for (long[] edge : edges) {
                FlexTask child = tasks.get(edge[1]);
                if (child == null || !tasks.containsKey(edge[0])) {
                    long unknown = child == null ? edge[1] : edge[0];
                    problem((int) edge[2], text, "there is no task node" + unknown);
                } else {
                    child.parents().add(edge[0]);
                }
            }
        }

        private void task(String text, Matcher statement) {
            long id = Long.parseLong(statement.group(3));
            int at = statement.start();
            Matcher label = LABEL.matcher(statement.group(4));
            String[] fields = label.find() ? label.group(1).split("\\|", -1) : new String[0];
            if (fields.length <= FIRST_VALUE) {
                problem(
                        at,
                        text,
                        "the label of node" + id + " must have five fields: device, name, phase, type, value");
                return;
            }
            int before = problems.size();
            int device = value(at, text, fields, 0, "device_id", Integer::parseInt, 0);
            String type = fields[TYPE].strip();
            double seconds = 0;
            FlexTask.Transfer transfer = FlexTask.Transfer.NONE;
            if (type.equals("COMP_NODE")) {
                seconds = value(at, text, fields, FIRST_VALUE, "simulated_run_time", Double::parseDouble, 0.0);
            } else if (type.equals("COMM_SEND_RECV_NODE")) {
                transfer = new FlexTask.Transfer(
                        value(at, text, fields, FIRST_VALUE, "comm_src", Integer::parseInt, 0),
                        value(at, text, fields, FIRST_VALUE + 1, "comm_dst", Integer::parseInt, 0),
                        value(at, text, fields, FIRST_VALUE + 2, "comm_size", Long::parseLong, 0L));
            } else {
                problem(
                        at,
                        text,
                        "node" + id + " has the unknown type '" + type
                                + "'; expected COMP_NODE or COMM_SEND_RECV_NODE");
            }
            if (problems.size() == before) {
                tasks.put(id, new FlexTask(id, fields[NAME].strip(), device, transfer, seconds, new ArrayList<>()));
            }
        }

        private <T> T value(
                int at, String text, String[] fields, int index, String key, Function<String, T> parser, T otherwise) {
            String field = index < fields.length ? fields[index].strip() : "";
            int equals = field.indexOf('=');
            if (equals >= 0) {
                try {
                    return parser.apply(field.substring(equals + 1).strip());
                } catch (NumberFormatException notANumber) {
                    // The error is reported below with the expected values.
                }
            }
            problem(at, text, "expected " + key + "=<number>, found '" + field + "'");
            return otherwise;
        }

        private void problem(int at, String text, String what) {
            long line = 1
                    + text.substring(0, Math.min(at, text.length()))
                            .chars()
                            .filter(c -> c == '\n')
                            .count();
            problems.add(Problem.of(CATEGORY, source + ":" + line, what));
        }

        /** Compute processors, in ascending order. */
        static List<Integer> npus(Map<Long, FlexTask> tasks) {
            TreeSet<Integer> npus = new TreeSet<>();
            tasks.values().stream().filter(FlexTask::isCompute).forEach(task -> npus.add(task.device()));
            return List.copyOf(npus);
        }

        static Map<Long, FlexTask> sorted(Map<Long, FlexTask> tasks) {
            return new TreeMap<>(tasks);
        }
    }

    /**
     * A task of a graph.
     *
     * @param transfer source, destination and size of a transfer; {@link Transfer#NONE} for a computation
     * @param seconds duration of a computation; 0 for a transfer
     * @param parents tasks that must complete earlier, in file order
     */
    private record FlexTask(long id, String name, int device, Transfer transfer, double seconds, List<Long> parents) {
        /**
         * A data transfer.
         *
         * @param bytes size; -1 for a computation
         */
        record Transfer(int source, int destination, long bytes) {
            static final Transfer NONE = new Transfer(-1, -1, -1);

            boolean touches(int npu) {
                return source == npu || destination == npu;
            }
        }

        boolean isCompute() {
            return transfer.equals(Transfer.NONE);
        }
    }
}
