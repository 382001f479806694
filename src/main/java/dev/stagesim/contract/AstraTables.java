package dev.stagesim.contract;

import java.util.List;

/** The tables of a collective or training simulation; a nanosecond is a cycle of the reference. */
public final class AstraTables {
    public static final TableSchema NPUS = TableSchema.of(
            """
            npu_metrics.csv 1 | When each NPU finished and how it spent its time, one row per NPU.
            npu | int 0.. | Rank, from 0.
            finish_ns | int? ns 0.. | When its last node was done; empty when the run ended before.
            exposed_communication_ns | int? ns | finish_ns less the time of its computations, as the reference
                    reports it.
            compute_ns | int? ns 0.. | Time in which a computation ran.
            communication_ns | int? ns 0.. | Time in which a collective, send or receive ran.
            overlap_ns | int? ns 0.. | Time in which both ran.
            host_ns | int? ns 0.. | Time in which a node of the host ran.
            memory_ns | int? ns 0.. | Time in which an access to remote memory ran.
            compute_bound | real? share | Share of the time of computations whose limit was arithmetic. Empty
                    without the roofline.
            compute_utilization | real? share | Share of the arithmetic peak that computations reached. Empty
                    without the roofline.
            memory_utilization | real? share | Share of the memory bandwidth that computations reached. Empty
                    without the roofline.
            operation_intensity | real? operations/byte | Operations per byte of the computations.
            """,
            new RowInvariant.Increasing("npu"));

    public static final TableSchema NODES = TableSchema.of(
            """
            node_timeline.csv 1 | When each node of a trace ran, one row per node in order of its end.
            npu | int 0.. | Rank of the NPU.
            node_id | text | Id of the node in its trace, an unsigned 64-bit number.
            name | text? | Name of the node.
            kind | text compute/host/collective/send/receive/memory/other | What the node does.
            bytes | int bytes 0.. | What a communication moves; 0 for other nodes.
            start_ns | int ns 0.. | When it was issued.
            end_ns | int ns 0.. | When it was done.
            """,
            new RowInvariant.NotBefore("end_ns", "start_ns"));

    public static final TableSchema EXPOSED = TableSchema.of(
            """
            exposed_communication.csv 1 | Intervals in which an NPU communicates and computes nothing, one row per
                    interval.
            npu | int 0.. | Rank of the NPU.
            start_ns | int ns 0.. | When it began.
            end_ns | int ns 0.. | When it ended.
            name | text? | The communication that began first of those under way.
            """,
            new RowInvariant.NotBefore("end_ns", "start_ns"));

    public static final TableSchema LINKS = TableSchema.of(
            """
            link_utilization.csv 2 | What went over each directed link, for networks that have links.
            from | int 0.. | NPU, or a number from the number of NPUs on for a switch.
            to | int 0.. | Likewise.
            dimension | int 0.. | Dimension or tier of the link, from 0.
            bandwidth_bytes_per_ns | real bytes/ns | What it carries at most.
            messages | int 0.. | Messages that crossed it; on the packet backend, frames.
            bytes | int bytes 0.. | Their sum.
            busy_ns | int ns 0.. | Time in which it transmitted.
            utilization | real share | busy_ns over the duration of the run.
            waiting_ns | int ns 0.. | Time that messages waited for it, summed over messages.
            max_queue_length | int 0.. | Maximum number of waiting messages.
            """);

    public static final TableSchema MATRIX = TableSchema.of(
            """
            communication_matrix.csv 1 | Messages and bytes from NPU to NPU, one row per pair that communicated.
            source | int 0.. | Rank of the sender.
            destination | int 0.. | Rank of the receiver.
            messages | int 1.. | Messages sent.
            bytes | int bytes 1.. | Their sum.
            """);

    public static final TableSchema WAITING = TableSchema.of(
            """
            waiting.csv 2 | NPUs that had not finished when the run was stopped, and what they were doing.
            npu | int 0.. | Rank of the NPU.
            nodes | text? | Ids of its nodes under way, separated by spaces.
            waiting_for | text | Description of the event that it waits for.
            peers | text? | Ranks whose messages it waits for, separated by spaces.
            """,
            new RowInvariant.Increasing("npu"));

    private AstraTables() {}

    /** All of them. */
    public static List<TableSchema> all() {
        return List.of(NPUS, NODES, EXPOSED, LINKS, MATRIX, WAITING);
    }
}
