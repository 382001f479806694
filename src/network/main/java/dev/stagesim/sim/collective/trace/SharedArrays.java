package dev.stagesim.sim.collective.trace;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiPredicate;

/**
 * Deduplicates equal arrays. Traces of different NPUs often differ in a few columns only.
 *
 * <p>Arrays passed in must not change afterwards.
 */
public final class SharedArrays {
    private final Map<Long, Object> arrays = new LinkedHashMap<>();
    private final Map<String, String> texts = new LinkedHashMap<>();

    long[] shared(long[] array) {
        return find(array, 1, Arrays.hashCode(array), (a, b) -> b instanceof long[] other && Arrays.equals(a, other));
    }

    int[] shared(int[] array) {
        return find(array, 2, Arrays.hashCode(array), (a, b) -> b instanceof int[] other && Arrays.equals(a, other));
    }

    short[] shared(short[] array) {
        return find(array, 3, Arrays.hashCode(array), (a, b) -> b instanceof short[] other && Arrays.equals(a, other));
    }

    boolean[] shared(boolean[] array) {
        return find(
                array, 4, Arrays.hashCode(array), (a, b) -> b instanceof boolean[] other && Arrays.equals(a, other));
    }

    /** Ranks repeat names and groups thousands of times. */
    String[] shared(String[] array) {
        for (int i = 0; i < array.length; i++) {
            String before = texts.putIfAbsent(array[i], array[i]);
            array[i] = before == null ? array[i] : before;
        }
        return find(array, 5, Arrays.hashCode(array), (a, b) -> b instanceof String[] other && Arrays.equals(a, other));
    }

    /** Hashes ordinals, since hashes of enum constants vary between runs. */
    RankTrace.Type[] shared(RankTrace.Type[] array) {
        int hash = 0;
        for (RankTrace.Type type : array) {
            hash = 31 * hash + type.ordinal();
        }
        return find(array, 6, hash, (a, b) -> b instanceof RankTrace.Type[] other && Arrays.equals(a, other));
    }

    boolean[][] shared(boolean[][] array) {
        for (int i = 0; i < array.length; i++) {
            array[i] = shared(array[i]);
        }
        return find(
                array,
                7,
                Arrays.deepHashCode(array),
                (a, b) -> b instanceof boolean[][] other && Arrays.deepEquals(a, other));
    }

    /** Returns the stored array with this hash if it is equal. After a hash collision the argument is returned. */
    @SuppressWarnings("unchecked") // equal arrays are of one class
    private <T> T find(T array, int kind, int hash, BiPredicate<T, Object> equal) {
        Object before = arrays.putIfAbsent((long) kind << 32 | (hash & 0xFFFFFFFFL), array);
        return before != null && equal.test(array, before) ? (T) before : array;
    }
}
