package dev.stagesim.io.astra;

import dev.stagesim.contract.RowInvariant;
import dev.stagesim.contract.TableSchema;
import java.util.List;

/** Tables of a collective or training simulation. One nanosecond corresponds to one cycle of ASTRA-sim. */
public final class AstraTables {
    public static final TableSchema NPUS = TableSchema.of(
            """
            npu_metrics.csv 1 | Finish time and time by activity of each NPU, one row per NPU.
            npu | int 0.. | Rank, from 0.
            finish_ns | int? ns 0.. | End of its last node; empty if the run ended earlier.
            exposed_communication_ns | int? ns | finish_ns minus the time of its computations, as ASTRA-sim
                    reports it.
            compute_ns | int? ns 0.. | Time with a running computation.
            communication_ns | int? ns 0.. | Time with a running collective, send or receive.
            overlap_ns | int? ns 0.. | Time with both.
            host_ns | int? ns 0.. | Time with a running host node.
            memory_ns | int? ns 0.. | Time with an access to remote memory.
            compute_bound | real? share | Share of the computation time that was limited by arithmetic. Empty
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
            node_timeline.csv 1 | Times of each trace node, one row per node in order of completion.
            npu | int 0.. | Rank of the NPU.
            node_id | text | Id of the node in its trace, an unsigned 64-bit number.
            name | text? | Name of the node.
            kind | text compute/host/collective/send/receive/memory/other | Kind of the node.
            bytes | int bytes 0.. | Bytes of a communication; 0 for other nodes.
            start_ns | int ns 0.. | Issue time.
            end_ns | int ns 0.. | Completion time.
            """,
            new RowInvariant.NotBefore("end_ns", "start_ns"));

    public static final TableSchema EXPOSED = TableSchema.of(
            """
            exposed_communication.csv 1 | Intervals in which an NPU communicates without computing, one row per
                    interval.
            npu | int 0.. | Rank of the NPU.
            start_ns | int ns 0.. | Start of the interval.
            end_ns | int ns 0.. | End of the interval.
            name | text? | The communication in progress that started first.
            """,
            new RowInvariant.NotBefore("end_ns", "start_ns"));

    public static final TableSchema LINKS = TableSchema.of(
            """
            link_utilization.csv 2 | Traffic of each directed link, for networks with links.
            from | int 0.. | NPU; switches are numbered from the number of NPUs.
            to | int 0.. | Receiving NPU or switch.
            dimension | int 0.. | Dimension or tier of the link, from 0.
            bandwidth_bytes_per_ns | real bytes/ns | Capacity of the link.
            messages | int 0.. | Messages on the link; frames on the packet backend.
            bytes | int bytes 0.. | Bytes of the messages.
            busy_ns | int ns 0.. | Time with a transmission.
            utilization | real share | busy_ns divided by the duration of the run.
            waiting_ns | int ns 0.. | Waiting time, summed over messages.
            max_queue_length | int 0.. | Maximum number of waiting messages.
            """);

    public static final TableSchema MATRIX = TableSchema.of(
            """
            communication_matrix.csv 1 | Messages and bytes from NPU to NPU, one row per pair that communicated.
            source | int 0.. | Rank of the sender.
            destination | int 0.. | Rank of the receiver.
            messages | int 1.. | Messages sent.
            bytes | int bytes 1.. | Bytes of the messages.
            """);

    public static final TableSchema WAITING = TableSchema.of(
            """
            waiting.csv 2 | NPUs that had not finished when the run was stopped, and their state.
            npu | int 0.. | Rank of the NPU.
            nodes | text? | Ids of its nodes in progress, separated by spaces.
            waiting_for | text | Description of the event that it waits for.
            peers | text? | Ranks of the senders it waits for, separated by spaces.
            """,
            new RowInvariant.Increasing("npu"));

    private AstraTables() {}

    public static List<TableSchema> all() {
        return List.of(NPUS, NODES, EXPOSED, LINKS, MATRIX, WAITING);
    }
}
