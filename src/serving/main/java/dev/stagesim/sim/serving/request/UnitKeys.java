package dev.stagesim.sim.serving.request;

import java.util.Arrays;

/**
 * Keys of the token units of a request. They are equal if and only if all tokens up to the end of the unit and
 * {@code ahead} tokens after it are equal and the requests may share a cache.
 *
 * <p>A key is a 64-bit hash of the previous key, the maximal runs of consecutive tokens in the unit and the adapter; the
 * first key also covers the salt. Among n distinct units, the probability of a hash collision is about n^2 / 2^65.
 */
public final class UnitKeys {
    private static final long SEED = 0x6A09E667F3BCC909L;

    private final RequestSpec spec;
    private final int unit;
    private final int ahead;
    private long[] keys = new long[8];
    private int known;
    private int run;

    public UnitKeys(RequestSpec spec, int unit) {
        this(spec, unit, 0);
    }

    /** Creates keys of {@code unit} tokens that also cover the next {@code ahead} tokens. */
    public UnitKeys(RequestSpec spec, int unit, int ahead) {
        this.spec = spec;
        this.unit = unit;
        this.ahead = ahead;
    }

    /** Returns the key of a unit, from 0. All its tokens must exist. */
    public long key(int index) {
        if (index >= known) {
            extendTo(index + 1);
        }
        return keys[index];
    }

    private void extendTo(int count) {
        if (count > keys.length) {
            keys = Arrays.copyOf(keys, Math.max(count, keys.length * 2));
        }
        while (known < count) {
            long parent = known == 0 ? mix(SEED, spec.identity().salt()) : keys[known - 1];
            keys[known] = key(parent, known * unit);
            known++;
        }
    }

    private long key(long parent, int start) {
        Tokens tokens = spec.identity().tokens();
        while (tokens.end(run) <= start) {
            run++;
        }
        long key = mix(parent, spec.identity().adapter());
        int stop = start + unit + ahead;
        int at = start;
        for (int covered = run; at < stop; covered++) {
            int upTo = Math.min(tokens.end(covered), stop);
            long first = tokens.first(covered) + at - (covered == 0 ? 0 : tokens.end(covered - 1));
            key = mix(mix(key, first), upTo - at);
            at = upTo;
        }
        return mediaKey(key, start, stop);
    }

    private long mediaKey(long key, int start, int stop) {
        long mixed = key;
        for (MediaItem item : spec.identity().media()) {
            if (item.start() < stop && item.end() > start) {
                mixed = mix(mix(mixed, item.id()), item.start() - (long) start);
            }
        }
        return mixed;
    }

    private static long mix(long state, long value) {
        long z = (state ^ (value * 0x9E3779B97F4A7C15L)) + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
