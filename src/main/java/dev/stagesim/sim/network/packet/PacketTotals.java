package dev.stagesim.sim.network.packet;

/**
 * Sums of a run.
 *
 * @param dropped frames for which a switch had no room
 * @param lost frames that were lost on a cable
 * @param marked data frames that a queue marked
 * @param pauseFrames pause and resume frames sent
 * @param retransmissions how often a flow went back to send again
 */
public record PacketTotals(long dropped, long lost, long marked, long pauseFrames, long retransmissions) {}
