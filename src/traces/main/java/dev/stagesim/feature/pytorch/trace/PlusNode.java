package dev.stagesim.feature.pytorch.trace;

import java.util.Arrays;
import java.util.Optional;

/**
 * A node of a linked trace: a host operator with its times, or a device operator.
 *
 * @param id id within the linked trace
 * @param parent calling node, or launching node of a device operator; {@link OpFacts#NONE} if unknown
 * @param name name of the operator
 * @param op the host operator, or the launcher of a device operator
 * @param times times from the profiler, if recorded
 * @param interThread node of another thread that must complete first; {@link OpFacts#NONE} if none
 * @param after device nodes that must complete first; must not be modified
 * @param device fields of a device operator
 * @param group process group of a communication; empty if none
 */
public record PlusNode(
        long id,
        long parent,
        String name,
        HostOp op,
        Optional<Times> times,
        long interThread,
        long[] after,
        Optional<DeviceSide> device,
        String group) {
    /**
     * Times in microseconds.
     *
     * @param start start on the profiler's clock
     * @param inclusive time from start to end
     * @param exclusive time without the called operators
     */
    public record Times(double start, double inclusive, double exclusive) {}

    /**
     * Additional fields of a device operator.
     *
     * @param category profiler category, for example {@code kernel}
     * @param phase phase of the profiler event
     * @param stream stream; {@link OpFacts#NONE} if unknown
     * @param ordinal device number
     * @param comm facts about a communication
     */
    public record DeviceSide(String category, String phase, long stream, long ordinal, CommFacts comm) {}

    public static final long[] NOTHING = {};

    public boolean isDevice() {
        return device.isPresent();
    }

    /** True if the node describes process groups and does no work. */
    public boolean isMetadata() {
        return name.contains("process_group:init");
    }

    public PlusNode withAfter(long... nodes) {
        return new PlusNode(id, parent, name, op, times, interThread, nodes, device, group);
    }

    public PlusNode withParent(long node) {
        return new PlusNode(id, node, name, op, times, interThread, after, device, group);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PlusNode that
                && id == that.id
                && parent == that.parent
                && interThread == that.interThread
                && name.equals(that.name)
                && op.equals(that.op)
                && times.equals(that.times)
                && Arrays.equals(after, that.after)
                && device.equals(that.device)
                && group.equals(that.group);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(id) * 31 + name.hashCode();
    }
}
