package dev.stagesim.sim.systolic;

import java.util.List;

/**
 * On-chip memory of one operand.
 *
 * @param kilobytes size in units of 1024 words
 * @param offset address of the first word
 * @param bandwidth words per cycle of the DRAM interface in USER mode
 * @param banks banks that share the bandwidth
 * @param ports lines that a bank serves per cycle
 * @param latencies recorded DRAM latencies in cycles; empty if none are replayed
 * @param isReplayed true if {@code latencies} are replayed
 */
public record OperandMemory(
        long kilobytes, long offset, int bandwidth, int banks, int ports, List<Integer> latencies, boolean isReplayed) {
    public OperandMemory {
        latencies = List.copyOf(latencies);
    }

    /** Creates a memory with one bank and no recorded latencies. */
    public static OperandMemory plain(long kilobytes, long offset, int bandwidth) {
        return new OperandMemory(kilobytes, offset, bandwidth, 1, 1, List.of(), false);
    }

    long words() {
        return kilobytes * 1024;
    }
}
