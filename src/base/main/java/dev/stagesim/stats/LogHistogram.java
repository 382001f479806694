package dev.stagesim.stats;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Arrays;

/**
 * Histogram of non-negative integers with logarithmic buckets, at most 1/1024 of their lower bound wide: percentiles of
 * billions of numbers in a few hundred kilobytes.
 *
 * <p>All arithmetic uses integers. The result depends only on the numbers, not on their order or on their division
 * among {@linkplain #merge merged} histograms. Numbers below 2,048 are exact. Above, a percentile is the middle of its
 * bucket, within 1/2048 (0.049 %) of the true value. Count, minimum, maximum and mean are exact.
 */
public final class LogHistogram {
    private static final int BITS = 10;
    private static final int THOUSAND = 1000;
    private static final String BETWEEN = " ";

    private long[] counts = new long[0];
    private int first;
    private long count;
    private long min = Long.MAX_VALUE;
    private long max;

    /** The sum, which may exceed 64 bits: low part, and multiples of 2^63. */
    private long sumLow;

    private long sumHigh;

    /** Receives the non-empty buckets in ascending order. */
    public interface Buckets {
        /** A bucket: its minimum and maximum number, limited to the overall minimum and maximum, and its count. */
        void bucket(long from, long to, long count);
    }

    public void add(long value) {
        add(value, 1);
    }

    /** Adds a number {@code times} times. */
    public void add(long value, long times) {
        addBucket(value, value, times);
    }

    /** Adds the numbers of a bucket of another histogram, each as the middle of its bounds. */
    public void addBucket(long from, long to, long times) {
        int index = index(from);
        if (from < 0 || to < from || index(to) != index) {
            throw new IllegalArgumentException(from + " to " + to + " is no bucket");
        }
        add(index, times);
        count += times;
        min = Math.min(min, from);
        max = Math.max(max, to);
        long middle = from + (to - from) / 2;
        long low = middle * times;
        addToSum(2 * Math.multiplyHigh(middle, times) + (low >>> (Long.SIZE - 1)), low & Long.MAX_VALUE);
    }

    /** Visits the non-empty buckets. */
    public void buckets(Buckets sink) {
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                int shift = shift(first + i);
                long from = lowerBound(first + i, shift);
                sink.bucket(Math.max(min, from), Math.min(max, from + (1L << shift) - 1), counts[i]);
            }
        }
    }

    /** Every {@code stride}-th number in ascending order, as the middle of its bucket. */
    public double[] sample(int stride) {
        double[] sample = new double[Math.toIntExact((count + stride - 1) / stride)];
        long[] seen = new long[1];
        buckets((from, to, times) -> {
            int begin = (int) ((seen[0] + stride - 1) / stride);
            seen[0] += times;
            Arrays.fill(sample, begin, (int) ((seen[0] + stride - 1) / stride), from + (to - from) / 2);
        });
        return sample;
    }

    /** Adds the counts of another histogram. */
    public void merge(LogHistogram other) {
        for (int i = 0; i < other.counts.length; i++) {
            if (other.counts[i] > 0) {
                add(other.first + i, other.counts[i]);
            }
        }
        count += other.count;
        min = Math.min(min, other.min);
        max = Math.max(max, other.max);
        addToSum(other.sumHigh, other.sumLow);
    }

    private void add(int index, long times) {
        int at = at(index); // may reallocate the array
        counts[at] += times;
    }

    private void addToSum(long high, long low) {
        sumLow += low;
        sumHigh += high;
        if (sumLow < 0) {
            sumLow &= Long.MAX_VALUE;
            sumHigh++;
        }
    }

    public long count() {
        return count;
    }

    /** The minimum number, or 0 if empty. */
    public long min() {
        return count == 0 ? 0 : min;
    }

    /** The maximum number, or 0 if empty. */
    public long max() {
        return max;
    }

    /** The mean, rounded half up to an integer, or 0 if empty. */
    public long mean() {
        if (count == 0) {
            return 0;
        }
        BigInteger sum = BigInteger.valueOf(sumHigh).shiftLeft(Long.SIZE - 1).add(BigInteger.valueOf(sumLow));
        return new BigDecimal(sum)
                .divide(BigDecimal.valueOf(count), 0, RoundingMode.HALF_UP)
                .longValueExact();
    }

    /**
     * The nearest-rank percentile in thousandths, within 1/2048 of the true value, or 0 if empty.
     *
     * @param thousandths 1 to 1000
     */
    public long quantile(int thousandths) {
        if (thousandths < 1 || thousandths > THOUSAND) {
            throw new IllegalArgumentException(thousandths + " thousandths");
        }
        long rank = count / THOUSAND * thousandths + (count % THOUSAND * thousandths + THOUSAND - 1) / THOUSAND;
        long seen = 0;
        for (int i = 0; i < counts.length; i++) {
            seen += counts[i];
            if (seen >= rank && seen > 0) {
                return Math.max(min, Math.min(max, middle(first + i)));
            }
        }
        return 0;
    }

    private static int index(long value) {
        int shift = Math.max(0, Long.SIZE - 1 - Long.numberOfLeadingZeros(value) - BITS);
        return (shift << BITS) + (int) (value >>> shift);
    }

    private static long middle(int index) {
        int shift = shift(index);
        return lowerBound(index, shift) + ((1L << shift) - 1) / 2;
    }

    private static int shift(int index) {
        return Math.max(0, (index >> BITS) - 1);
    }

    private static long lowerBound(int index, int shift) {
        return (long) (index - (shift << BITS)) << shift;
    }

    /** Array index of a bucket; the array grows with some reserve. */
    private int at(int index) {
        if (counts.length == 0) {
            counts = new long[64];
            first = Math.max(0, index - 32);
        } else if (index < first) {
            int from = Math.max(0, index - counts.length / 2);
            long[] wider = new long[counts.length + first - from];
            System.arraycopy(counts, 0, wider, first - from, counts.length);
            counts = wider;
            first = from;
        } else if (index - first >= counts.length) {
            counts = Arrays.copyOf(counts, index - first + 1 + counts.length / 2);
        }
        return index - first;
    }

    /** Serialises the histogram as numbers with blanks between. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append(count).append(BETWEEN).append(min).append(BETWEEN).append(max);
        text.append(BETWEEN).append(sumHigh).append(BETWEEN).append(sumLow);
        int before = 0;
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                text.append(BETWEEN).append(first + i - before).append(BETWEEN).append(counts[i]);
                before = first + i;
            }
        }
        return text.toString();
    }

    /**
     * Parses the output of {@link #text}.
     *
     * @throws IllegalArgumentException for any other input
     */
    public static LogHistogram parse(String text) {
        String[] words = text.split(BETWEEN, -1);
        if (words.length < 5 || words.length % 2 == 0) {
            throw new IllegalArgumentException("no histogram: " + text);
        }
        LogHistogram read = new LogHistogram();
        int index = 0;
        for (int i = 5; i < words.length; i += 2) {
            index += Integer.parseInt(words[i]);
            read.add(index, Long.parseLong(words[i + 1]));
        }
        read.count = Long.parseLong(words[0]);
        read.min = Long.parseLong(words[1]);
        read.max = Long.parseLong(words[2]);
        read.sumHigh = Long.parseLong(words[3]);
        read.sumLow = Long.parseLong(words[4]);
        return read;
    }
}
