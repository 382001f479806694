package dev.stagesim.sim.collective;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;

/** Errors about nodes of a trace and about the machine. */
final class TraceErrors {
    private static final String CATEGORY = "simulation error";

    private static final long MOST_BYTES = 1L << 53;

    private TraceErrors() {}

    /** A node that cannot be executed as it stands. */
    static StageException node(RankTrace trace, int node, String what) {
        return StageException.input(Problem.of(CATEGORY, place(trace, node), what));
    }

    /** A key of the system that cannot work. */
    static StageException system(String key, String what) {
        return StageException.input(Problem.of(CATEGORY, key, what));
    }

    /** Where a node is, for people. */
    static String place(RankTrace trace, int node) {
        String name = trace.name[node].isEmpty() ? "" : " (" + trace.name[node] + ")";
        return trace.where + ": node " + Long.toUnsignedString(trace.id[node]) + name;
    }

    /** Demands an attribute that is there and of the right kind. */
    static void require(RankTrace trace, int node, int attribute, String name) {
        if (!trace.has(node, attribute)) {
            throw node(trace, node, "attribute " + name + " is missing");
        }
        checkKind(trace, node, attribute, name);
    }

    /** Demands that an attribute is of the right kind if it is there. */
    static void checkKind(RankTrace trace, int node, int attribute, String name) {
        if ((trace.malformed[node] & attribute) != 0) {
            throw node(trace, node, "attribute " + name + " must be a whole number");
        }
    }

    /** Demands that sums of a node's size can be told. */
    static void checkSize(RankTrace trace, int node) {
        if (trace.commSize[node] < 0 || trace.commSize[node] > MOST_BYTES) {
            throw node(
                    trace,
                    node,
                    "comm_size " + Long.toUnsignedString(trace.commSize[node])
                            + " is too large, expected at most 2^53");
        }
    }

    /** Demands that a node communicates at least one byte under a tag that is not negative. */
    static void positive(RankTrace trace, int node) {
        if (trace.commSize[node] <= 0) {
            throw node(trace, node, "a message must have at least one byte, not " + trace.commSize[node]);
        }
        checkSize(trace, node);
        if (trace.tag[node] < 0) {
            throw node(trace, node, "comm_tag must not be negative, and is " + trace.tag[node]);
        }
    }
}
