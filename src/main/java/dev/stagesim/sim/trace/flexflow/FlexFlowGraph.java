package dev.stagesim.sim.trace.flexflow;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.trace.flexflow.FlexTask.Transfer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A task graph as FlexFlow exports it: DOT, with what a task does in its label. */
final class FlexFlowGraph {
    static final String CATEGORY = "task graph error";

    /** An edge, or a node with its attributes; strings may hold brackets. */
    private static final Pattern STATEMENT =
            Pattern.compile("node(\\d+)\\s*->\\s*node(\\d+)" + "|\\bnode(\\d+)\\s*\\[((?:[^\\]\"]|\"[^\"]*+\")*+)\\]");

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
     * @throws StageException of kind input that lists everything wrong with it
     */
    static Map<Long, FlexTask> parse(String source, String text) {
        FlexFlowGraph graph = new FlexFlowGraph(source);
        graph.read(text);
        if (graph.tasks.isEmpty() && graph.problems.isEmpty()) {
            graph.problem(0, text, "expected a DOT graph of tasks, found none");
        }
        if (!graph.problems.isEmpty()) {
            throw StageException.input(graph.problems);
        }
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
                    "the label of node" + id + " ought to have five fields: device, name, phase, type, value");
            return;
        }
        int before = problems.size();
        int device = value(at, text, fields, 0, "device_id", Integer::parseInt, 0);
        String type = fields[TYPE].strip();
        double seconds = 0;
        Transfer transfer = Transfer.NONE;
        if (type.equals("COMP_NODE")) {
            seconds = value(at, text, fields, FIRST_VALUE, "simulated_run_time", Double::parseDouble, 0.0);
        } else if (type.equals("COMM_SEND_RECV_NODE")) {
            transfer = new Transfer(
                    value(at, text, fields, FIRST_VALUE, "comm_src", Integer::parseInt, 0),
                    value(at, text, fields, FIRST_VALUE + 1, "comm_dst", Integer::parseInt, 0),
                    value(at, text, fields, FIRST_VALUE + 2, "comm_size", Long::parseLong, 0L));
        } else {
            problem(
                    at,
                    text,
                    "node" + id + " has the unknown type '" + type + "'; known are COMP_NODE and COMM_SEND_RECV_NODE");
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
                // Reported below with what was expected.
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

    /** Processors that compute, least first. */
    static List<Integer> npus(Map<Long, FlexTask> tasks) {
        TreeSet<Integer> npus = new TreeSet<>();
        tasks.values().stream().filter(FlexTask::isCompute).forEach(task -> npus.add(task.device()));
        return List.copyOf(npus);
    }

    /** Tasks by their number. */
    static Map<Long, FlexTask> sorted(Map<Long, FlexTask> tasks) {
        return new TreeMap<>(tasks);
    }
}
