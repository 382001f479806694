package dev.stagesim.sim.collective.procedure;

/** NPUs in the ring order of a phase: NPUs that differ in one coordinate only, all NPUs, or a group. */
public final class LogicalRing {
    private final int size;
    private final int stride;
    private final @org.jspecify.annotations.Nullable Group group;

    private LogicalRing(int size, int stride, @org.jspecify.annotations.Nullable Group group) {
        this.size = size;
        this.stride = stride;
        this.group = group;
    }

    /** Ranks {@code stride} apart that include the current NPU. */
    public static LogicalRing of(int size, int stride) {
        return new LogicalRing(size, stride, null);
    }

    /** The members of a group in the order of its list. */
    public static LogicalRing of(Group group) {
        return new LogicalRing(group.size(), 0, group);
    }

    public int size() {
        return size;
    }

    public int stride() {
        return stride;
    }

    public boolean isGroup() {
        return group != null;
    }

    /** Id of the group, or 0. */
    public int group() {
        return group == null ? 0 : group.id();
    }

    /** Position of a rank, 0 to size exclusive. */
    public int position(int rank) {
        return group == null ? rank / stride % size : group.position(rank);
    }

    /** The rank at a position of the ring that contains {@code member}. */
    public int rank(int member, int position) {
        if (group != null) {
            return group.rank(position);
        }
        return member + (position - member / stride % size) * stride;
    }
}
