package dev.stagesim.sim.serving.request;

import java.util.Arrays;

/**
 * The tokens of a request, prompt and output, as runs of consecutive numbers.
 *
 * <p>Only equality of tokens matters to a cache. A text that nobody else has is one run of numbers of its own; texts that
 * share a prefix start with the same run.
 */
public final class Tokens {
    private final long[] first;
    private final int[] end;

    private Tokens(long[] first, int[] end) {
        this.first = first;
        this.end = end;
    }

    /** Tokens {@code first}, {@code first} + 1, ... without end. */
    public static Tokens from(long first) {
        return new Tokens(new long[] {first}, new int[] {Integer.MAX_VALUE});
    }

    /** Number of runs, the endless last one included. */
    public int runs() {
        return first.length;
    }

    /** First token of a run. */
    public long first(int run) {
        return first[run];
    }

    /** Position behind the last token of a run; the last run has no end. */
    public int end(int run) {
        return end[run];
    }

    /** The token at a position. */
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

    /** How many tokens from {@code from} on are those of {@code other} from {@code otherFrom} on, at most {@code limit}. */
    public int common(int from, Tokens other, int otherFrom, int limit) {
        int run = runAt(from);
        int otherRun = other.runAt(otherFrom);
        int same = 0;
        while (same < limit) {
            if (value(run, from + same) != other.value(otherRun, otherFrom + same)) {
                return same;
            }
            // Both count up to the end of the run that ends first.
            same = Math.min(limit, Math.min(end[run] - from, other.end[otherRun] - otherFrom));
            if (same < limit) {
                run += end[run] - from == same ? 1 : 0;
                otherRun += other.end[otherRun] - otherFrom == same ? 1 : 0;
            }
        }
        return limit;
    }

    /** Puts runs together, from the first token on. */
    public static final class Builder {
        private long[] first = new long[4];
        private int[] end = new int[4];
        private int runs;
        private int length;

        /** Appends {@code count} tokens that count up from {@code from}. */
        public Builder run(long from, int count) {
            if (count < 0) {
                throw new IllegalArgumentException("a run of " + count + " tokens");
            }
            if (count > 0) {
                add(from, Math.addExact(length, count));
            }
            return this;
        }

        /** Appends the first {@code count} tokens of {@code other} from position {@code start} on. */
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

        /** The tokens so far and then, as output, {@code from} and on. */
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
