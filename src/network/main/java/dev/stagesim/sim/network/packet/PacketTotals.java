package dev.stagesim.sim.network.packet;

/**
 * Totals of a run.
 *
 * @param dropped frames that did not fit into a switch's buffer
 * @param lost frames lost on cables
 * @param marked data frames with an ECN mark
 * @param pauseFrames pause and resume frames sent
 * @param retransmissions number of times a flow went back to retransmit
 */
public record PacketTotals(long dropped, long lost, long marked, long pauseFrames, long retransmissions) {}
