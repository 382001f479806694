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
 * The swept keys as a space to pick jobs from: all keys together, or draws.
 *
 * <p>Unlike {@link SweepPlan} it may have continuous ranges. What is drawn depends on the words and the seed alone.
 */
public final class SweepSpace {
    private final List<Dimension> dimensions;

    private SweepSpace(List<Dimension> dimensions) {
        this.dimensions = List.copyOf(dimensions);
    }

    /** The space of some words; a key given twice counts once, with its later value at its earlier place. */
    public static SweepSpace parse(List<String> words, SweepOptions options) {
        Dimensions maker = new Dimensions(options);
        Map<String, Dimension> byKey = new LinkedHashMap<>();
        for (ConfigOverride override : OverrideParser.parseAll(words, options.dialect())) {
            byKey.put(SweepPlan.identity(override, byKey.size()), maker.drawn(override));
        }
        return new SweepSpace(List.copyOf(byKey.values()));
    }

    /** True when something is swept. */
    public boolean swept() {
        return dimensions.stream().anyMatch(dimension -> dimension.size() != 1);
    }

    /**
     * All swept keys advance together.
     *
     * @throws StageException (input) unless they have equally many values
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
                                "the sweep that begins with " + words + " has " + dimension.size() + " values where one"
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

    /** Independent draws; equal ones are kept once, at their first place. */
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

    /** A Latin hypercube: of each key, one draw from every n-th of its range, in an order of its own. */
    public List<List<String>> latin(int samples, long seed) {
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
