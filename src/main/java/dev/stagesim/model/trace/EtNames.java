package dev.stagesim.model.trace;

/** Names of attributes with a meaning. */
public final class EtNames {
    /** Whether a node runs on the host's processor: bool. */
    public static final String IS_CPU_OP = "is_cpu_op";

    /** Number of a {@link CollectiveType}: int64. */
    public static final String COMM_TYPE = "comm_type";

    /** Bytes that a communication moves: int64, in old traces uint64. */
    public static final String COMM_SIZE = "comm_size";

    /** Sending processor: int32. */
    public static final String COMM_SRC = "comm_src";

    /** Receiving processor: int32. */
    public static final String COMM_DST = "comm_dst";

    /** What pairs a send with its receive: int32. */
    public static final String COMM_TAG = "comm_tag";

    /** Precedence among communications: int32. */
    public static final String COMM_PRIORITY = "comm_priority";

    /** Number of a group of communicators as text; empty or 0 means all processors. */
    public static final String PG_NAME = "pg_name";

    /** Network dimensions that take part in a collective: list of bool. */
    public static final String INVOLVED_DIM = "involved_dim";

    /** Bytes that a memory access moves, or that a computation touches: uint64. */
    public static final String TENSOR_SIZE = "tensor_size";

    /** Where a tensor is. */
    public static final String TENSOR_LOC = "tensor_loc";

    /** Floating-point operations of a computation: int64. */
    public static final String NUM_OPS = "num_ops";

    private EtNames() {}
}
