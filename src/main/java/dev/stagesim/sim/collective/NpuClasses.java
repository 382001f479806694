package dev.stagesim.sim.collective;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * NPUs by the work they have: those of one class are taken to do the same things at the same times.
 *
 * <p>Whether they do is shown while the run goes on, see {@link SymmetricNetwork}.
 *
 * @param classOf class of each NPU
 * @param first lowest rank of each class, which is simulated for all of it
 * @param size NPUs of each class
 */
record NpuClasses(int[] classOf, int[] first, int[] size) {
    /** One class for each different trace, in order of the lowest rank. */
    static NpuClasses of(List<RankTrace> traces) {
        // Traces are equal only to themselves, since ranks with the same work share one object.
        Map<RankTrace, Integer> numbers = new LinkedHashMap<>();
        int[] classOf = new int[traces.size()];
        List<Integer> first = new ArrayList<>();
        int[] count = new int[traces.size()];
        for (int rank = 0; rank < classOf.length; rank++) {
            Integer number = numbers.get(traces.get(rank));
            if (number == null) {
                number = first.size();
                numbers.put(traces.get(rank), number);
                first.add(rank);
            }
            classOf[rank] = number;
            count[number]++;
        }
        return new NpuClasses(
                classOf, first.stream().mapToInt(Integer::intValue).toArray(), count);
    }

    int npus() {
        return classOf.length;
    }

    /** Number of classes. */
    int count() {
        return first.length;
    }

    int classOf(int rank) {
        return classOf[rank];
    }

    int size(int number) {
        return size[number];
    }

    /** The ranks of a class in ascending order. */
    int[] members(int number) {
        int[] members = new int[size[number]];
        int found = 0;
        for (int rank = first[number]; found < members.length; rank++) {
            if (classOf[rank] == number) {
                members[found++] = rank;
            }
        }
        return members;
    }

    /** For every rank the one that is simulated for it. */
    int[] standIns() {
        int[] all = new int[classOf.length];
        for (int rank = 0; rank < all.length; rank++) {
            all[rank] = first[classOf[rank]];
        }
        return all;
    }
}
