package dev.stagesim.sweep;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Variant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Sweeper, which creates jobs from the swept keys: the section {@code sweeper}. One record per sweeper. */
public sealed interface SweeperSettings
        permits SweeperSettings.Grid,
                SweeperSettings.Zip,
                SweeperSettings.Random,
                SweeperSettings.Lhs,
                SweeperSettings.Searching {
    /** Keys of several sweepers. */
    String EXCLUDE = "Conditions of jobs to exclude: KEY=VALUE, also != < <= > >=; several conditions are separated "
            + "by blanks. | []";

    String WHEN = "Keys that are swept only if a condition is true: 'KEY: CONDITION'. | []";
    String SAMPLES = "Number of draws; equal draws make one job. | 20 | jobs | 1..1000000";
    String SEED = "Seed of the draws. | 0 | -9223372036854775808..9223372036854775807";
    String SLO = "Objectives that jobs must meet, such as ttft_p99_ms<=500. | []";
    String BUDGET = "Limits on metrics that are known before the simulation, such as devices<=16. | []";
    String CONFIDENCE = "Confidence that the mean over seeds is within the SLO. | 0.9 | 0.5..0.999";
    String WORKLOAD_SEED = "workload.seed";
    String SEED_KEY = "Key of the seed. | " + WORKLOAD_SEED;
    String AUTO = "auto";
    String JOBS = "Maximum number of concurrent simulations; null for one per core. | null | 1..1000000000";

    /** Returns conditions of excluded jobs, such as {@code scheduler=orca arrival.qps>4}. */
    List<String> exclude();

    /** Returns keys with the condition of their sweep, such as {@code scheduler.chunk_size: scheduler=sarathi}. */
    List<String> when();

    /** A sweeper that simulates until the best jobs are determined. */
    sealed interface Searching extends SweeperSettings
            permits SweeperSettings.Capacity, SweeperSettings.Search, SweeperSettings.Pareto {
        String seedKey();

        Optional<Integer> jobs();

        /** Returns the maximum number of seeds per job. */
        int maxSeeds();

        /** Returns these settings with one seed per job. */
        Searching withOneSeed();
    }

    @Variant("grid | All combinations of the swept values.")
    record Grid(@Key(EXCLUDE) List<String> exclude, @Key(WHEN) List<String> when) implements SweeperSettings {}

    @Variant("zip | The first values of all swept keys, then the second, and so on.")
    record Zip(@Key(EXCLUDE) List<String> exclude, @Key(WHEN) List<String> when) implements SweeperSettings {}

    @Variant("random | Independent draws of every swept key, intervals included.")
    record Random(
            @Key(SAMPLES) int samples,
            @Key(SEED) long seed,
            @Key(EXCLUDE) List<String> exclude,
            @Key(WHEN) List<String> when)
            implements SweeperSettings {}

    @Variant("lhs | A Latin hypercube: every key's range is cut into as many slices as there are draws.")
    record Lhs(
            @Key(SAMPLES) int samples,
            @Key(SEED) long seed,
            @Key(EXCLUDE) List<String> exclude,
            @Key(WHEN) List<String> when)
            implements SweeperSettings {}

    @Variant("capacity | The maximum load that meets an SLO, for each combination of the swept values.")
    @FormerKeys("most=max_load")
    record Capacity(
            @Key("Objectives that the load must meet, such as ttft_p99_ms<=500.") List<String> slo,
            @Key(
                            "Key of the load, also rate or concurrency; auto is arrival.concurrency in a closed loop, and otherwise arrival.qps. | auto")
                    String key,
            @Key("First load. | 1.0 | 0.000001..1000000") double start,
            @Key("Maximum load. | 100000.0 | 0.000001..1000000") double maxLoad,
            @Key("Relative width of the interval at which bisection stops. | 0.02 | 0.000000001..1") double tolerance,
            @Key("Minimum and maximum number of seeds for a load. | [3, 9] | 1..2147483647") List<Integer> seeds,
            @Key(CONFIDENCE) double confidence,
            @Key(SEED_KEY) String seedKey,
            @Key(JOBS) Optional<Integer> jobs,
            @Key(EXCLUDE) List<String> exclude,
            @Key(WHEN) List<String> when)
            implements Searching {
        @Override
        public int maxSeeds() {
            return seeds.isEmpty() ? 1 : seeds.get(seeds.size() - 1);
        }

        @Override
        public Searching withOneSeed() {
            return KeyRecord.with(Capacity.class, this, Map.of("seeds", List.of(1)));
        }
    }

    @Variant("search | The best combination of the swept values that meets an SLO and a budget.")
    record Search(
            @Key("Objective: min METRIC or max METRIC. | min usd_per_mtok") String goal,
            @Key(SLO) List<String> slo,
            @Key(BUDGET) List<String> budget,
            @Key("Seeds for each candidate that is not given up after the first. | 3 | 1..2147483647") int seeds,
            @Key("Relative margin by which the first seed of a candidate may miss the SLO, or be worse than the "
                            + "best, before the candidate is rejected. | 0.2 | 0..1000000")
                    double margin,
            @Key(CONFIDENCE) double confidence,
            @Key(SEED_KEY) String seedKey,
            @Key(JOBS) Optional<Integer> jobs,
            @Key(EXCLUDE) List<String> exclude,
            @Key(WHEN) List<String> when)
            implements Searching {
        @Override
        public int maxSeeds() {
            return seeds;
        }

        @Override
        public Searching withOneSeed() {
            return KeyRecord.with(Search.class, this, Map.of("seeds", 1));
        }
    }

    @Variant("pareto | The Pareto-optimal combinations of the swept values.")
    record Pareto(
            @Key("Objectives, each min METRIC or max METRIC. | [min usd_per_mtok, min ttft_p99_ms, max "
                            + "throughput_tokens_per_s]")
                    List<String> goals,
            @Key(SLO) List<String> slo,
            @Key(BUDGET) List<String> budget,
            @Key("Seeds for each candidate. | 3 | 1..2147483647") int seeds,
            @Key(CONFIDENCE) double confidence,
            @Key(SEED_KEY) String seedKey,
            @Key(JOBS) Optional<Integer> jobs,
            @Key(EXCLUDE) List<String> exclude,
            @Key(WHEN) List<String> when)
            implements Searching {
        @Override
        public int maxSeeds() {
            return seeds;
        }

        @Override
        public Searching withOneSeed() {
            return KeyRecord.with(Pareto.class, this, Map.of("seeds", 1));
        }
    }
}
