package dev.stagesim.sim.systolic.spec;

import java.util.List;
import java.util.Optional;

/**
 * On-chip memory of one operand.
 *
 * @param kilobytes size in units of 1024 words
 * @param offset address of the first word
 * @param bandwidth words per cycle of the DRAM interface in USER mode
 * @param banks banks that share the bandwidth
 * @param ports lines that a bank serves per cycle
 * @param queue maximum outstanding requests when latencies are replayed
 * @param latencies recorded DRAM latencies in cycles, if they are replayed
 * @param layout custom order of the operand in the memory
 */
public record OperandMemory(
        long kilobytes,
        long offset,
        int bandwidth,
        int banks,
        int ports,
        int queue,
        Optional<List<Integer>> latencies,
        Optional<LayoutOrder> layout) {
    public OperandMemory {
        latencies = latencies.map(List::copyOf);
    }

    /** Creates a memory with one bank and no recorded latencies. */
    public static OperandMemory plain(long kilobytes, long offset, int bandwidth, int queue) {
        return new OperandMemory(kilobytes, offset, bandwidth, 1, 1, queue, Optional.empty(), Optional.empty());
    }

    /** Returns a copy that replays latencies. */
    OperandMemory withLatencies(List<Integer> recorded) {
        return new OperandMemory(kilobytes, offset, bandwidth, banks, ports, queue, Optional.of(recorded), layout);
    }

    /** Returns a copy with another layout. */
    OperandMemory withLayout(Optional<LayoutOrder> order) {
        return new OperandMemory(kilobytes, offset, bandwidth, banks, ports, queue, latencies, order);
    }

    public long words() {
        return kilobytes * 1024;
    }
}
