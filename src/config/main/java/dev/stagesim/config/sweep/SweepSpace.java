package dev.stagesim.config.sweep;

import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.OverrideParser;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The space of swept keys, from which jobs are selected: zipped, random or by Latin hypercube.
 *
 * <p>Unlike {@link SweepPlan} it may contain continuous ranges. Samples depend only on the overrides and the seed.
 */
public final class SweepSpace {
    private final List<Dimension> dimensions;

    private SweepSpace(List<Dimension> dimensions) {
        this.dimensions = List.copyOf(dimensions);
    }

    /** Parses the overrides of a space. A key that is given twice has its later value at its earlier position. */
    public static SweepSpace parse(List<String> words, SweepOptions options) {
        Dimensions builder = new Dimensions(options);
        Map<String, Dimension> byKey = new LinkedHashMap<>();
        for (ConfigOverride override : OverrideParser.parseAll(words, options.dialect())) {
            byKey.put(SweepPlan.identity(override, byKey.size()), builder.sampled(override));
        }
        return new SweepSpace(List.copyOf(byKey.values()));
    }

    /** True if at least one key is swept. */
    public boolean hasSweep() {
        return dimensions.stream().anyMatch(dimension -> dimension.size() != 1);
    }

    /**
     * Returns jobs in which all swept keys advance together.
     *
     * @throws StageException (input) unless all swept keys have the same number of values
     */
    public List<List<String>> zipped() {
        int size = 1;
        for (Dimension dimension : dimensions) {
            String words = dimension.size() == 0 ? "" : String.join(" ", dimension.at(0));
            if (dimension.size() == 0) {
                throw StageException.input(Problem.of("sweep error", "sweeper=zip", "an interval has no list of values")
                        .hint("list points: range(0,1,0.1), linspace(0,1,11)"));
            }
            if (dimension.size() > 1 && size > 1 && dimension.size() != size) {
                throw StageException.input(Problem.of(
                                "sweep error",
                                "sweeper=zip",
                                "the sweep that begins with " + words + " has " + dimension.size() + " values, but one"
                                        + " before it has " + size)
                        .note("expected", "equally many values for all swept keys"));
            }
            size = Math.max(size, dimension.size());
        }
        List<List<String>> jobs = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            List<String> job = new ArrayList<>();
            for (Dimension dimension : dimensions) {
                job.addAll(dimension.at(dimension.size() == 1 ? 0 : i));
            }
            jobs.add(job);
        }
        return jobs;
    }

    /** Returns independent random samples. Duplicate samples are kept once, at the position of the first. */
    public List<List<String>> random(int samples, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<List<String>> jobs = new ArrayList<>();
        for (int i = 0; i < samples; i++) {
            List<String> job = new ArrayList<>();
            for (Dimension dimension : dimensions) {
                job.addAll(dimension.size() == 1 ? dimension.at(0) : dimension.at(random.nextDouble()));
            }
            jobs.add(job);
        }
        return jobs.stream().distinct().toList();
    }

    /**
     * Returns a Latin hypercube: each key's range is divided into n equal parts with one sample each, in a random order
     * per key.
     */
    public List<List<String>> latinHypercube(int samples, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<double[]> shares = new ArrayList<>();
        for (Dimension dimension : dimensions) {
            shares.add(dimension.size() == 1 ? new double[samples] : slices(samples, random));
        }
        List<List<String>> jobs = new ArrayList<>();
        for (int i = 0; i < samples; i++) {
            List<String> job = new ArrayList<>();
            for (int d = 0; d < dimensions.size(); d++) {
                job.addAll(dimensions.get(d).at(shares.get(d)[i]));
            }
            jobs.add(job);
        }
        return jobs.stream().distinct().toList();
    }

    private static double[] slices(int samples, SplittableRandom random) {
        double[] shares = new double[samples];
        for (int i = 0; i < samples; i++) {
            int other = random.nextInt(i + 1);
            shares[i] = shares[other];
            shares[other] = i;
        }
        for (int i = 0; i < samples; i++) {
            shares[i] = Math.min((shares[i] + random.nextDouble()) / samples, Math.nextDown(1.0));
        }
        return shares;
    }
}
