package dev.stagesim.sim.serving.request;

import java.util.Arrays;

/**
 * The tokens of a request, prompt and output, as runs of consecutive numbers.
 *
 * <p>A cache depends only on the equality of tokens. A unique text is one run of unique numbers; texts with a common prefix
 * start with the same run.
 */
public final class Tokens {
    private final long[] first;
    private final int[] end;

    private Tokens(long[] first, int[] end) {
        this.first = first;
        this.end = end;
    }

    /** Returns the endless tokens {@code first}, {@code first} + 1, ... */
    public static Tokens from(long first) {
        return new Tokens(new long[] {first}, new int[] {Integer.MAX_VALUE});
    }

    /** Returns the number of runs, including the endless last one. */
    public int runs() {
        return first.length;
    }

    /** Returns the first token of a run. */
    public long first(int run) {
        return first[run];
    }

    /** Returns the position after the last token of a run; the last run has no end. */
    public int end(int run) {
        return end[run];
    }

    /** Returns the token at a position. */
    public long at(int position) {
        return value(runAt(position), position);
    }

    private int runAt(int position) {
        int run = Arrays.binarySearch(end, position + 1);
        return run < 0 ? -run - 1 : run;
    }

    private long value(int run, int position) {
        return first[run] + position - (run == 0 ? 0 : end[run - 1]);
    }

    /**
     * Returns the length, at most {@code limit}, of the common prefix of these tokens from {@code from} on and {@code other}
     * from {@code otherFrom} on.
     */
    public int common(int from, Tokens other, int otherFrom, int limit) {
        int run = runAt(from);
        int otherRun = other.runAt(otherFrom);
        int same = 0;
        while (same < limit) {
            if (value(run, from + same) != other.value(otherRun, otherFrom + same)) {
                return same;
            }
            // both runs are consecutive up to the end of the shorter one
            same = Math.min(limit, Math.min(end[run] - from, other.end[otherRun] - otherFrom));
            if (same < limit) {
                run += end[run] - from == same ? 1 : 0;
                otherRun += other.end[otherRun] - otherFrom == same ? 1 : 0;
            }
        }
        return limit;
    }

    /** Concatenates runs. */
    public static final class Builder {
        private long[] first = new long[4];
        private int[] end = new int[4];
        private int runs;
        private int length;

        /** Appends {@code count} consecutive tokens from {@code from}. */
        public Builder run(long from, int count) {
            if (count < 0) {
                throw new IllegalArgumentException("a run of " + count + " tokens");
            }
            if (count > 0) {
                add(from, Math.addExact(length, count));
            }
            return this;
        }

        /** Appends the {@code count} tokens of {@code other} from position {@code start} on. */
        public Builder part(Tokens other, int start, int count) {
            int at = start;
            int stop = start + count;
            for (int run = 0; run < other.runs() && at < stop; run++) {
                if (other.end(run) > at) {
                    int upTo = Math.min(other.end(run), stop);
                    run(other.at(at), upTo - at);
                    at = upTo;
                }
            }
            return this;
        }

        public int length() {
            return length;
        }

        /** Returns the tokens so far, followed by the output tokens from {@code from} on. */
        public Tokens then(long from) {
            add(from, Integer.MAX_VALUE);
            return new Tokens(Arrays.copyOf(first, runs), Arrays.copyOf(end, runs));
        }

        private void add(long from, int until) {
            if (runs > 0 && first[runs - 1] + (length - (runs == 1 ? 0 : end[runs - 2])) == from) {
                end[runs - 1] = until;
            } else {
                if (runs == first.length) {
                    first = Arrays.copyOf(first, runs * 2);
                    end = Arrays.copyOf(end, runs * 2);
                }
                first[runs] = from;
                end[runs++] = until;
            }
            length = until;
        }
    }
}
