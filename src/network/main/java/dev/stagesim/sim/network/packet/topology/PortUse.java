package dev.stagesim.sim.network.packet.topology;

/**
 * Use of one port in a run.
 *
 * @param rate bits per second
 * @param frames frames sent, of every kind
 * @param bytes sum of their sizes
 * @param busyNs transmission time
 * @param waitedNs queueing time of frames at a switch, summed
 * @param maxWaiting maximum queued bytes
 * @param pauses pauses by the far end
 * @param marks data frames marked at departure
 * @param drops arriving frames that did not fit into the buffer
 */
public record PortUse(
        Location at,
        long rate,
        long frames,
        long bytes,
        long busyNs,
        long waitedNs,
        int maxWaiting,
        Pauses pauses,
        long marks,
        int drops) {
    /**
     * Location of a port.
     *
     * @param node node of the port
     * @param port number on its node, from 1
     * @param peer node at the far end of the cable
     * @param atSwitch whether the node is a switch
     */
    public record Location(int node, int port, int peer, boolean atSwitch) {}

    /**
     * Pauses of a port.
     *
     * @param ns total time paused
     * @param active whether it is paused at the end
     */
    public record Pauses(int count, long ns, boolean active) {}
}
