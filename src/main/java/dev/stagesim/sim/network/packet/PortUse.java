package dev.stagesim.sim.network.packet;

/**
 * What went out of one port in a run.
 *
 * @param node where the port is
 * @param port its number there, from 1
 * @param peer node at the other end of the cable
 * @param atSwitch whether the node is a switch
 * @param rate bits per second
 * @param frames frames of every kind
 * @param bytes their sum
 * @param busyNs time during which it sent
 * @param waitedNs time that frames waited at a switch, summed
 * @param maxWaiting most bytes that waited at once
 * @param pauses how often its peer paused it
 * @param pausedNs for how long, in all
 * @param paused whether it is paused at the end
 * @param marks data frames that were marked as they left
 * @param drops frames that came in by it and found no room
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
