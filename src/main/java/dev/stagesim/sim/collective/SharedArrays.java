package dev.stagesim.sim.collective;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiPredicate;

/**
 * Arrays of which equal ones are kept once: traces of different NPUs often differ in a few columns only.
 *
 * <p>What goes in must not change any more.
 */
public final class SharedArrays {
    private final Map<Long, Object> known = new LinkedHashMap<>();
    private final Map<String, String> texts = new LinkedHashMap<>();

    long[] shared(long[] its) {
        return find(its, 1, Arrays.hashCode(its), (a, b) -> b instanceof long[] other && Arrays.equals(a, other));
    }

    int[] shared(int[] its) {
        return find(its, 2, Arrays.hashCode(its), (a, b) -> b instanceof int[] other && Arrays.equals(a, other));
    }

    short[] shared(short[] its) {
        return find(its, 3, Arrays.hashCode(its), (a, b) -> b instanceof short[] other && Arrays.equals(a, other));
    }

    boolean[] shared(boolean[] its) {
        return find(its, 4, Arrays.hashCode(its), (a, b) -> b instanceof boolean[] other && Arrays.equals(a, other));
    }

    /** Ranks repeat each other's names and groups, thousands of times. */
    String[] shared(String[] its) {
        for (int i = 0; i < its.length; i++) {
            String before = texts.putIfAbsent(its[i], its[i]);
            its[i] = before == null ? its[i] : before;
        }
        return find(its, 5, Arrays.hashCode(its), (a, b) -> b instanceof String[] other && Arrays.equals(a, other));
    }

    /** Types by their numbers, whose hashes do not depend on the run. */
    RankTrace.Type[] shared(RankTrace.Type[] its) {
        int hash = 0;
        for (RankTrace.Type type : its) {
            hash = 31 * hash + type.ordinal();
        }
        return find(its, 6, hash, (a, b) -> b instanceof RankTrace.Type[] other && Arrays.equals(a, other));
    }

    boolean[][] shared(boolean[][] its) {
        for (int i = 0; i < its.length; i++) {
            its[i] = shared(its[i]);
        }
        return find(
                its,
                7,
                Arrays.deepHashCode(its),
                (a, b) -> b instanceof boolean[][] other && Arrays.deepEquals(a, other));
    }

    /** The one of its kind that is known by this hash, if it is equal; arrays whose hashes collide are kept apart. */
    @SuppressWarnings("unchecked") // equal arrays are of one class
    private <T> T find(T its, int kind, int hash, BiPredicate<T, Object> equal) {
        Object before = known.putIfAbsent((long) kind << 32 | (hash & 0xFFFFFFFFL), its);
        return before != null && equal.test(its, before) ? (T) before : its;
    }
}
