package dev.stagesim.model.trace;

/** Attribute names with a defined meaning. */
public final class EtNames {
    /** True if the node runs on the host CPU: bool. */
    public static final String IS_CPU_OP = "is_cpu_op";

    /** Number of a {@link CollectiveType}: int64. */
    public static final String COMM_TYPE = "comm_type";

    /** Size of a communication in bytes: int64, in old traces uint64. */
    public static final String COMM_SIZE = "comm_size";

    /** Sending processor: int32. */
    public static final String COMM_SRC = "comm_src";

    /** Receiving processor: int32. */
    public static final String COMM_DST = "comm_dst";

    /** Tag that matches a send with its receive: int32. */
    public static final String COMM_TAG = "comm_tag";

    /** Priority among communications: int32. */
    public static final String COMM_PRIORITY = "comm_priority";

    /** Number of a process group, as text; empty or 0 means all processors. */
    public static final String PG_NAME = "pg_name";

    /** Network dimensions of a collective: list of bool. */
    public static final String INVOLVED_DIM = "involved_dim";

    /** Bytes that a memory access transfers or a computation accesses: uint64. */
    public static final String TENSOR_SIZE = "tensor_size";

    /** Floating-point operations of a computation: int64. */
    public static final String NUM_OPS = "num_ops";

    private EtNames() {}
}
