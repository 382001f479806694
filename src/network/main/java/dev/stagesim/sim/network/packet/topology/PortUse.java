package dev.stagesim.sim.network.packet.topology;

/**
 * Use of one port in a run.
 *
 * @param node node of the port
 * @param port number on its node, from 1
 * @param peer node at the far end of the cable
 * @param atSwitch whether the node is a switch
 * @param rate bits per second
 * @param frames frames sent, of every kind
 * @param bytes sum of their sizes
 * @param busyNs transmission time
 * @param waitedNs queueing time of frames at a switch, summed
 * @param maxWaiting maximum queued bytes
 * @param pauses number of pauses by the far end
 * @param pausedNs total time paused
 * @param paused whether it is paused at the end
 * @param marks data frames marked at departure
 * @param drops arriving frames that did not fit into the buffer
 */
public record PortUse(
        int node,
        int port,
        int peer,
        boolean atSwitch,
        long rate,
        long frames,
        long bytes,
        long busyNs,
        long waitedNs,
        int maxWaiting,
        int pauses,
        long pausedNs,
        boolean paused,
        long marks,
        int drops) {}
