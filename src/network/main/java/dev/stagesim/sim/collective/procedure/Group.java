package dev.stagesim.sim.collective.procedure;

import java.util.Arrays;
import java.util.List;

/**
 * A communicator group with the number of the next chunk of each member.
 *
 * <p>In the reference, the chunks of a group are numbered from id x 1,000,000 in 32 bits, so two groups share tags if
 * their ids differ by 500. In the own mode each group has a separate range of tags, used cyclically.
 */
public final class Group {
    /** Number of distinct message tags. */
    public static final int TAGS = 500_000_000;

    private static final int REFERENCE_STREAMS = 1_000_000;

    private final int id;
    private final int[] ranks;
    private final int[] sorted;
    private final int[] place;
    private final int[] taken;
    private final int firstStream;
    private final int streams;

    private Group(int id, List<Integer> members, int firstStream, int streams) {
        this.firstStream = firstStream;
        this.streams = streams;
        this.id = id;
        this.ranks = members.stream().mapToInt(Integer::intValue).toArray();
        this.sorted = ranks.clone();
        Arrays.sort(sorted);
        this.place = new int[ranks.length];
        for (int i = ranks.length - 1; i >= 0; i--) {
            place[Arrays.binarySearch(sorted, ranks[i])] = i;
        }
        this.taken = new int[ranks.length];
    }

    /** A group with the chunk numbers of the reference. */
    public static Group asReference(int id, List<Integer> members) {
        return new Group(id, members, id * REFERENCE_STREAMS, Integer.MAX_VALUE);
    }

    /**
     * Group number {@code index} (from 1) of {@code groups}. The first share of the tags belongs to the whole machine.
     */
    public static Group of(int id, List<Integer> members, int index, int groups) {
        int share = TAGS / (groups + 1);
        return new Group(id, members, index * share, share);
    }

    public int id() {
        return id;
    }

    public int size() {
        return ranks.length;
    }

    public int rank(int position) {
        return ranks[position];
    }

    /** Index of a rank in the list, or a negative number if it is not a member. */
    public int position(int rank) {
        int at = Arrays.binarySearch(sorted, rank);
        return at < 0 ? -1 : place[at];
    }

    /** Index of a member in ascending order of ranks. */
    public int sortedPosition(int rank) {
        return Arrays.binarySearch(sorted, rank);
    }

    /** Returns the number of the member's next chunk. */
    public int takeStream(int rank) {
        return firstStream + taken[position(rank)]++ % streams;
    }
}
