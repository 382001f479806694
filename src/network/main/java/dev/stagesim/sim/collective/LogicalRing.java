package dev.stagesim.sim.collective;

/** NPUs in the ring order of a phase: NPUs that differ in one coordinate only, all NPUs, or a group. */
final class LogicalRing {
    private final int size;
    private final int stride;
    private final @org.jspecify.annotations.Nullable Group group;

    private LogicalRing(int size, int stride, @org.jspecify.annotations.Nullable Group group) {
        this.size = size;
        this.stride = stride;
        this.group = group;
    }

    /** Ranks {@code stride} apart that include the current NPU. */
    static LogicalRing of(int size, int stride) {
        return new LogicalRing(size, stride, null);
    }

    /** The members of a group in the order of its list. */
    static LogicalRing of(Group group) {
        return new LogicalRing(group.size(), 0, group);
    }

    int size() {
        return size;
    }

    int stride() {
        return stride;
    }

    boolean isGroup() {
        return group != null;
    }

    /** Id of the group, or 0. */
    int group() {
        return group == null ? 0 : group.id();
    }

    /** Position of a rank, 0 to size exclusive. */
    int position(int rank) {
        return group == null ? rank / stride % size : group.position(rank);
    }

    /** The rank at a position of the ring that contains {@code member}. */
    int rank(int member, int position) {
        if (group != null) {
            return group.rank(position);
        }
        return member + (position - member / stride % size) * stride;
    }
}
