package dev.stagesim.io.packet;

import dev.stagesim.contract.TableSchema;
import java.util.List;

/** Additional tables of simulations on the packet network. */
public final class PacketTables {
    public static final TableSchema FLOWS = TableSchema.of(
            """
            flows.csv 1 | Start and duration of each message, one row per flow in order of completion.
            source | int 0.. | Rank of the sender.
            destination | int 0.. | Rank of the receiver.
            source_port | int 0.. | Number among the flows of the pair, from 10000.
            bytes | int bytes 0.. | Size of the message.
            start_ns | int ns 0.. | Send time.
            duration_ns | int ns 0.. | Time until the sender has received all acknowledgements.
            ideal_ns | int ns 0.. | Duration on the same path through an idle network.
            """);

    public static final TableSchema PORTS = TableSchema.of(
            """
            port_utilization.csv 2 | Outgoing traffic of each port, one row per port.
            node | int 0.. | Number of the node; hosts have the lowest numbers.
            port | int 1.. | Number of the port on its node, from 1.
            peer | int 0.. | Node at the other end of the cable.
            rate_bps | int bit/s 1.. | Rate of the cable.
            frames | int 0.. | Frames of every kind.
            bytes | int bytes 0.. | Bytes of the frames.
            busy_ns | int ns 0.. | Time with a transmission.
            utilization | real share | busy_ns divided by the duration of the run.
            waiting_ns | int ns 0.. | Waiting time at a switch port, summed over frames.
            max_queue_bytes | int bytes 0.. | Maximum bytes in the queue.
            pauses | int 0.. | Number of pauses by the connected node.
            paused_ns | int ns 0.. | Total time paused.
            marks | int 0.. | Data frames with a congestion mark.
            drops | int 0.. | Incoming frames dropped because the buffer was full.
            """);

    public static final TableSchema PAUSES = TableSchema.of(
            """
            pauses.csv 1 | Pause and resume frames, one row per frame in order of arrival.
            time_ns | int ns 0.. | Arrival time.
            node | int 0.. | Receiving node.
            at_switch | int 0.. | 1 at a switch, 0 at a host.
            port | int 1.. | Port that it pauses or resumes.
            pause | int 0.. | 1 for a pause, 0 for a resume.
            """);

    public static final TableSchema QUEUES = TableSchema.of(
            """
            queue_occupancy.csv 2 | Sampled queue lengths of switches; one row per sample and switch with waiting
                    bytes.
            time_ns | int ns 0.. | Time of the sample.
            switch | int 0.. | Number of the switch.
            bytes | int bytes 0.. | Waiting bytes of all ports.
            max_queue_bytes | int bytes 0.. | Waiting bytes of the port with the longest queue.
            max_queue_port | int 1.. | Number of that port.
            """);

    public static final TableSchema BACKENDS = TableSchema.of(
            """
            backend_comparison.csv 1 | The same workload on the packet network and on analytical networks with the same
                    rate and latency.
            backend | text | Network backend.
            duration_ns | int ns 0.. | Time at which the last NPU finished.
            relative | real | Duration divided by the duration on the packet network, minus 1.
            """);

    private PacketTables() {}

    public static List<TableSchema> all() {
        return List.of(FLOWS, PORTS, PAUSES, QUEUES, BACKENDS);
    }
}
