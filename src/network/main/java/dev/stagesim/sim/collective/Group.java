package dev.stagesim.sim.collective;

import java.util.Arrays;
import java.util.List;

/**
 * A communicator group with the number of the next chunk of each member.
 *
 * <p>In the reference, the chunks of a group are numbered from id x 1,000,000 in 32 bits, so two groups share tags if
 * their ids differ by 500. In the own mode each group has a separate range of tags, used cyclically.
 */
final class Group {
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
    static Group asReference(int id, List<Integer> members) {
        return new Group(id, members, id * REFERENCE_STREAMS, Integer.MAX_VALUE);
    }

    /**
     * Group number {@code index} (from 1) of {@code groups}. The first share of the tags belongs to the whole machine.
     */
    static Group of(int id, List<Integer> members, int index, int groups) {
        int share = Links.TAGS / (groups + 1);
        return new Group(id, members, index * share, share);
    }

    int id() {
        return id;
    }

    int size() {
        return ranks.length;
    }

    int rank(int position) {
        return ranks[position];
    }

    /** Index of a rank in the list, or a negative number if it is not a member. */
    int position(int rank) {
        int at = Arrays.binarySearch(sorted, rank);
        return at < 0 ? -1 : place[at];
    }

    /** Index of a member in ascending order of ranks. */
    int sortedPosition(int rank) {
        return Arrays.binarySearch(sorted, rank);
    }

    /** Returns the number of the member's next chunk. */
    int takeStream(int rank) {
        return firstStream + taken[position(rank)]++ % streams;
    }
}
