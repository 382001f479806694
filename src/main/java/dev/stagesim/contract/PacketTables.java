package dev.stagesim.contract;

import java.util.List;

/** The tables that a simulation on the packet network adds. */
public final class PacketTables {
    public static final TableSchema FLOWS = TableSchema.of(
            """
            flows.csv 1 | When each message was sent and how long it took, one row per flow in order of completion.
            source | int 0.. | Rank of the sender.
            destination | int 0.. | Rank of the receiver.
            source_port | int 0.. | Number among the flows of the pair, from 10000.
            bytes | int bytes 0.. | Size of the message.
            start_ns | int ns 0.. | When it was sent.
            duration_ns | int ns 0.. | Until its sender knew that all had arrived.
            ideal_ns | int ns 0.. | The least that this takes on its own way through an empty network.
            """);

    public static final TableSchema PORTS = TableSchema.of(
            """
            port_utilization.csv 2 | What went out of each port, one row per port.
            node | int 0.. | Number of the node; hosts come first.
            port | int 1.. | Number of the port on its node, from 1.
            peer | int 0.. | Node at the other end of the cable.
            rate_bps | int bit/s 1.. | Rate of the cable.
            frames | int 0.. | Frames of every kind.
            bytes | int bytes 0.. | Their sum.
            busy_ns | int ns 0.. | Time in which the port sent.
            utilization | real share | busy_ns over the duration of the run.
            waiting_ns | int ns 0.. | Time that frames waited at a switch's port, summed.
            max_queue_bytes | int bytes 0.. | Maximum bytes in the queue.
            pauses | int 0.. | How often the peer paused the port.
            paused_ns | int ns 0.. | For how long, in all.
            marks | int 0.. | Data frames marked as they left.
            drops | int 0.. | Frames that came in by it and found no room.
            """);

    public static final TableSchema PAUSES = TableSchema.of(
            """
            pauses.csv 1 | Pause and resume frames as they arrive, one row per frame.
            time_ns | int ns 0.. | When it arrived.
            node | int 0.. | Where.
            at_switch | int 0.. | 1 at a switch, 0 at a host.
            port | int 1.. | Number of the port that it stops or lets go on.
            pause | int 0.. | 1 for a pause, 0 for its end.
            """);

    public static final TableSchema QUEUES = TableSchema.of(
            """
            queue_occupancy.csv 2 | Bytes that wait at switches, sampled; one row per sample and switch where any
                    do.
            time_ns | int ns 0.. | When.
            switch | int 0.. | Number of the switch.
            bytes | int bytes 0.. | Bytes at all its ports.
            max_queue_bytes | int bytes 0.. | Bytes at the port with the longest queue.
            max_queue_port | int 1.. | Number of that port.
            """);

    public static final TableSchema BACKENDS = TableSchema.of(
            """
            backend_comparison.csv 1 | The same work on the packet network and on analytical networks of the same
                    rate and latency.
            backend | text | Which network.
            duration_ns | int ns 0.. | When the last NPU finished.
            relative | real | Duration over that of the packet network, less 1.
            """);

    private PacketTables() {}

    /** All of them. */
    public static List<TableSchema> all() {
        return List.of(FLOWS, PORTS, PAUSES, QUEUES, BACKENDS);
    }
}
