package dev.stagesim.config.sweep;

import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.OverrideParser;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * The jobs of a sweep: the product of its dimensions. Keys are in order of first appearance, and the last key varies
 * fastest.
 *
 * <p>A key that is given twice has its later value at its earlier position. Jobs are created on request, in time
 * proportional to the number of overrides and independent of the size of the sweep.
 */
public final class SweepPlan implements Iterable<SweepJob> {
    private final List<Dimension> dimensions;
    private final long size;
    private final long batchSize;
    private final boolean oneBatch;

    private SweepPlan(List<Dimension> dimensions, SweepOptions options) {
        this.dimensions = List.copyOf(dimensions);
        this.size = product(dimensions);
        this.oneBatch = options.maxBatchSize().isEmpty();
        this.batchSize = oneBatch ? size : options.maxBatchSize().getAsInt();
        if (!oneBatch && batchSize <= 0) {
            throw StageException.input(
                    Problem.of("sweep error", "max_batch_size", "must be at least 1, not " + batchSize));
        }
    }

    /** Returns a sweep over the values of {@code overrides}. Overrides without a sweep result in one job. */
    public static SweepPlan of(List<ConfigOverride> overrides, SweepOptions options) {
        Dimensions builder = new Dimensions(options);
        Map<String, Dimension> byKey = new LinkedHashMap<>();
        for (ConfigOverride override : overrides) {
            byKey.put(identity(override, byKey.size()), builder.of(override));
        }
        return new SweepPlan(List.copyOf(byKey.values()), options);
    }

    /** Like {@link #of(List, SweepOptions)}, but parses text. {@code params} come first, as {@code key=value}. */
    public static SweepPlan parse(Map<String, String> params, List<String> arguments, SweepOptions options) {
        List<String> texts = new ArrayList<>();
        params.forEach((key, value) -> texts.add(key + "=" + value));
        List<ConfigOverride> overrides = new ArrayList<>(OverrideParser.parseAll(texts, options.dialect()));
        overrides.addAll(OverrideParser.parseAll(arguments, options.dialect()));
        return of(overrides, options);
    }

    /** Returns the identity of an override. Duplicate overrides count once, except appends, which are all applied. */
    static String identity(ConfigOverride override, int place) {
        return override.type() == ConfigOverride.Type.APPEND
                ? override.keyElement() + "+=#" + place
                : override.keyElement();
    }

    private static long product(List<Dimension> dimensions) {
        try {
            long product = 1;
            for (Dimension dimension : dimensions) {
                product = Math.multiplyExact(product, dimension.size());
            }
            return product;
        } catch (ArithmeticException overflow) {
            throw StageException.input(Problem.of("sweep error", "", "the sweep has more jobs than can be counted"));
        }
    }

    /** Returns the number of jobs. */
    public long size() {
        return size;
    }

    /** Returns one job by its number. */
    public SweepJob job(long number) {
        if (number < 0 || number >= size) {
            throw new IndexOutOfBoundsException("job " + number + " of " + size);
        }
        List<List<String>> parts = new ArrayList<>(dimensions.size());
        long rest = number;
        for (int i = dimensions.size() - 1; i >= 0; i--) {
            Dimension dimension = dimensions.get(i);
            parts.add(dimension.at((int) (rest % dimension.size())));
            rest /= dimension.size();
        }
        List<String> overrides = new ArrayList<>();
        for (int i = parts.size() - 1; i >= 0; i--) {
            overrides.addAll(parts.get(i));
        }
        return new SweepJob(number, overrides);
    }

    /** Iterates over the jobs in order of their numbers. */
    @Override
    public Iterator<SweepJob> iterator() {
        return jobs(0, size);
    }

    /** Returns the number of batches. */
    public long batchCount() {
        return oneBatch ? 1 : (size + batchSize - 1) / batchSize;
    }

    /** Returns the number of jobs in one batch. */
    public long batchSize(long index) {
        return Math.max(0, Math.min(size, (index + 1) * batchSize) - index * batchSize);
    }

    private Iterator<SweepJob> jobs(long from, long to) {
        return new Iterator<>() {
            private long next = from;

            @Override
            public boolean hasNext() {
                return next < to;
            }

            @Override
            public SweepJob next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                return job(next++);
            }
        };
    }
}
