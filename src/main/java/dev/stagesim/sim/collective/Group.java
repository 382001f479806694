package dev.stagesim.sim.collective;

import java.util.Arrays;
import java.util.List;

/** A communicator group with the number of the next chunk of each member. */
final class Group {
    private static final int FIRST_STREAM = 1_000_000;

    private final int id;
    private final int[] ranks;
    private final int[] sorted;
    private final int[] place;
    private final int[] nextStream;

    Group(int id, List<Integer> members) {
        this.id = id;
        this.ranks = members.stream().mapToInt(Integer::intValue).toArray();
        this.sorted = ranks.clone();
        Arrays.sort(sorted);
        this.place = new int[ranks.length];
        for (int i = ranks.length - 1; i >= 0; i--) {
            place[Arrays.binarySearch(sorted, ranks[i])] = i;
        }
        this.nextStream = new int[ranks.length];
        Arrays.fill(nextStream, id * FIRST_STREAM);
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

    /** Index of a rank in the list, or below 0 when it is not a member. */
    int position(int rank) {
        int at = Arrays.binarySearch(sorted, rank);
        return at < 0 ? -1 : place[at];
    }

    /** Index of a member in ascending order of ranks. */
    int sortedPosition(int rank) {
        return Arrays.binarySearch(sorted, rank);
    }

    /** Number of the member's next chunk; it counts on. */
    int takeStream(int rank) {
        return nextStream[position(rank)]++;
    }
}
