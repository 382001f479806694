package dev.stagesim.feature.pytorch.trace;

import java.util.Arrays;
import java.util.Optional;

/**
 * A node of a linked trace: an operator of the host with its times, or one of the device.
 *
 * @param id identity within the linked trace
 * @param parent calling node, or launching node of a device operator; {@link OpFacts#NONE} when unknown
 * @param name name of the operator
 * @param op operator of the host that this is, or that launched it
 * @param times when it ran, as far as the profiler saw it
 * @param interThread node of another thread that has to be done before; {@link OpFacts#NONE} for none
 * @param after device nodes that have to be done before; not to be changed
 * @param device what only a device operator has
 * @param group process group of a communication; empty for none
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
     * @param start start, on the profiler's clock
     * @param inclusive time from start to end
     * @param exclusive time less that of the operators called
     */
    public record Times(double start, double inclusive, double exclusive) {}

    /**
     * What only an operator of the device has.
     *
     * @param category category of the profiler, for example {@code kernel}
     * @param phase phase of the profiler's event
     * @param stream stream; {@link OpFacts#NONE} when unknown
     * @param ordinal number of the device
     * @param comm facts about a communication
     */
    public record DeviceSide(String category, String phase, long stream, long ordinal, CommFacts comm) {}

    static final long[] NOTHING = {};

    public boolean isDevice() {
        return device.isPresent();
    }

    /** Whether the node describes process groups and does no work. */
    boolean isMetadata() {
        return name.contains("process_group:init");
    }

    PlusNode withAfter(long... nodes) {
        return new PlusNode(id, parent, name, op, times, interThread, nodes, device, group);
    }

    PlusNode withParent(long node) {
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
