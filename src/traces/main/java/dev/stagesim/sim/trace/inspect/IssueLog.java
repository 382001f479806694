package dev.stagesim.sim.trace.inspect;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads node executions from a simulator's log of issues and callbacks.
 *
 * <p>A line that contains {@code issue} or {@code callback} has the form {@code
 * <issue|callback>,npu=N,cycle=C,node=I,name=TEXT}. Columns are identified by position, not by the text before {@code
 * =}. Other lines are ignored, and so are nodes without a callback.
 */
public final class IssueLog {
    private static final String CATEGORY = "log error";
    private static final int COLUMNS = 5;

    /**
     * An executed node.
     *
     * @param kind 1 local memory, 2 remote memory, 3 computation, 4 communication
     * @param issued cycle of the issue
     * @param done cycle of the callback
     */
    public record Run(long npu, int kind, String name, long issued, long done) {}

    private record Open(String name, long cycle) {}

    private final String source;
    private final long npus;
    private final Map<Long, Map<Long, Open>> open = new TreeMap<>();
    private final List<Run> runs = new ArrayList<>();
    private long line;

    private IssueLog(String source, long npus) {
        this.source = source;
        this.npus = npus;
    }

    /**
     * Reads a log; runs are in the order of their callbacks.
     *
     * @param npus number of processors
     */
    public static List<Run> read(String source, Iterator<String> lines, long npus) {
        IssueLog log = new IssueLog(source, npus);
        while (lines.hasNext()) {
            log.line++;
            String text = lines.next();
            if (text.contains("issue") || text.contains("callback")) {
                log.event(text.strip());
            }
        }
        return List.copyOf(log.runs);
    }

    private void event(String text) {
        String[] columns = text.split(",", -1);
        if (columns.length < COLUMNS) {
            throw wrong("expected at least " + COLUMNS + " columns, found " + columns.length);
        }
        long npu = number(value(columns[1]), "a processor");
        long cycle = number(value(columns[2]), "a cycle");
        long node = number(value(columns[3]), "a node");
        String name = value(columns[4]);
        if (npu < 0 || npu >= npus) {
            throw wrong("there is no processor " + npu + " among " + npus);
        }
        Map<Long, Open> here = open.computeIfAbsent(npu, none -> new TreeMap<>());
        if (columns[0].equals("issue")) {
            here.put(node, new Open(name, cycle));
        } else if (columns[0].equals("callback")) {
            Open issued = here.remove(node);
            if (issued == null) {
                throw wrong("node " + node + " of processor " + npu + " was not issued");
            }
            runs.add(new Run(npu, kind(issued.name()), issued.name(), issued.cycle(), cycle));
        } else {
            throw wrong("expected issue or callback, found '" + columns[0] + "'");
        }
    }

    private String value(String column) {
        int equals = column.indexOf('=');
        if (equals < 0) {
            throw wrong("expected name=value, found '" + column + "'");
        }
        int end = column.indexOf('=', equals + 1);
        return column.substring(equals + 1, end < 0 ? column.length() : end);
    }

    private long number(String text, String what) {
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException notANumber) {
            throw StageException.input(
                    Problem.of(CATEGORY, source + ":" + line, "expected " + what + ", found '" + text + "'"),
                    notANumber);
        }
    }

    private int kind(String name) {
        boolean isMemory = name.contains("MEM_LOAD_NODE") || name.contains("MEM_STORE_NODE");
        if (isMemory && name.contains("LOCAL_MEMORY")) {
            return 1;
        }
        if (isMemory && name.contains("REMOTE_MEMORY")) {
            return 2;
        }
        if (name.contains("COMP_NODE")) {
            return 3;
        }
        if (name.contains("COMM_SEND_NODE") || name.contains("COMM_RECV_NODE") || name.contains("COMM_COLL_NODE")) {
            return 4;
        }
        throw wrong("the name '" + name + "' does not match a kind of node");
    }

    private StageException wrong(String what) {
        return StageException.input(Problem.of(CATEGORY, source + ":" + line, what));
    }
}
