package dev.stagesim.sim.collective.trace;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;

/** Errors of trace nodes and of the machine. */
public final class TraceErrors {
    private static final String CATEGORY = "simulation error";

    private static final long MAX_BYTES = 1L << 53;

    private TraceErrors() {}

    /** An error of a node that cannot be executed. */
    public static StageException node(RankTrace trace, int node, String what) {
        return StageException.input(Problem.of(CATEGORY, location(trace, node), what));
    }

    /** An error of a system setting. */
    public static StageException system(String key, String what) {
        return StageException.input(Problem.of(CATEGORY, key, what));
    }

    /** Location of a node, for messages. */
    static String location(RankTrace trace, int node) {
        String name = trace.name[node].isEmpty() ? "" : " (" + trace.name[node] + ")";
        return trace.where + ": node " + Long.toUnsignedString(trace.id[node]) + name;
    }

    /** Requires an attribute to be present and of the right kind. */
    public static void require(RankTrace trace, int node, int attribute, String name) {
        if (!trace.has(node, attribute)) {
            throw node(trace, node, "attribute " + name + " is missing");
        }
        checkKind(trace, node, attribute, name);
    }

    /** Requires an attribute, if present, to be of the right kind. */
    public static void checkKind(RankTrace trace, int node, int attribute, String name) {
        if ((trace.malformed[node] & attribute) != 0) {
            throw node(trace, node, "attribute " + name + " must be a whole number");
        }
    }

    /** Requires a size that is small enough for exact sums. */
    public static void checkSize(RankTrace trace, int node) {
        if (trace.commSize[node] < 0 || trace.commSize[node] > MAX_BYTES) {
            throw node(
                    trace,
                    node,
                    "comm_size " + Long.toUnsignedString(trace.commSize[node])
                            + " is too large, expected at most 2^53");
        }
    }

    /** Requires a size of at least one byte and a non-negative tag. */
    public static void positive(RankTrace trace, int node) {
        if (trace.commSize[node] <= 0) {
            throw node(trace, node, "a message must have at least one byte, not " + trace.commSize[node]);
        }
        checkSize(trace, node);
        if (trace.tag[node] < 0) {
            throw node(trace, node, "comm_tag must not be negative, and is " + trace.tag[node]);
        }
    }
}
