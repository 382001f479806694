package dev.stagesim.settings;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.List;
import java.util.Optional;

/** How the swept keys become jobs: the section {@code sweeper}. One record for each sweeper. */
public sealed interface SweeperSettings
        permits SweeperSettings.Grid,
                SweeperSettings.Zip,
                SweeperSettings.Random,
                SweeperSettings.Lhs,
                SweeperSettings.Searching {
    /** Keys that several sweepers have. */
    String EXCLUDE = "Conditions of jobs to leave out: KEY=VALUE, also != < <= > >=, several by blanks. | []";

    String WHEN = "Keys swept only where a condition holds: 'KEY: CONDITION'. | []";
    String SAMPLES = "Number of draws; equal ones make one job. | 20 | jobs | 1..1000000";
    String SEED = "Seed of the draws. | 0 | -9223372036854775808..9223372036854775807";
    String SLO = "Conditions on figures that must hold, such as ttft_p99_ms<=500. | []";
    String BUDGET = "Conditions on figures known before anything is simulated, such as devices<=16. | []";
    String CONFIDENCE = "Confidence with which the mean over seeds must be within the SLO. | 0.9 | 0.5..0.999";
    String SEED_KEY = "The key that the seeds go to. | workload.seed";
    String AT_A_TIME = "Simulations at a time; null for one per core. | null | 1..1000000000";

    /** Jobs left out: each a condition on the job's overrides, such as {@code scheduler=orca arrival.qps>4}. */
    List<String> exclude();

    /** Keys that are swept only where a condition holds: {@code scheduler.chunk_size: scheduler=sarathi}. */
    List<String> when();

    /** A sweeper that simulates until it knows the best of the jobs. */
    sealed interface Searching extends SweeperSettings
            permits SweeperSettings.Capacity, SweeperSettings.Search, SweeperSettings.Pareto {
        String seedKey();

        Optional<Integer> jobs();

        /** Most seeds that a question is asked with. */
        int maxSeeds();
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

    @Variant("capacity | The greatest load that meets an SLO, for each combination of the swept values.")
    @FormerKeys("most=max_load")
    record Capacity(
            @Key("Conditions on figures that the load must meet, such as ttft_p99_ms<=500.") List<String> slo,
            @Key("The key that is raised until the SLO fails. | arrival.qps") String key,
            @Key("Load to begin with. | 1.0 | 0.000001..1000000") double start,
            @Key("Maximum load to try. | 100000.0 | 0.000001..1000000") double maxLoad,
            @Key("Relative width of the bracket at which bisection ends. | 0.02 | 0.000000001..1") double tolerance,
            @Key("Minimum and maximum number of seeds for a load. | [3, 9] | 1..2147483647") List<Integer> seeds,
            @Key(CONFIDENCE) double confidence,
            @Key(SEED_KEY) String seedKey,
            @Key(AT_A_TIME) Optional<Integer> jobs,
            @Key(EXCLUDE) List<String> exclude,
            @Key(WHEN) List<String> when)
            implements Searching {
        @Override
        public int maxSeeds() {
            return seeds.isEmpty() ? 1 : seeds.get(seeds.size() - 1);
        }
    }

    @Variant("search | The best combination of the swept values that meets an SLO and a budget.")
    record Search(
            @Key("What is best: min FIGURE or max FIGURE. | min usd_per_mtok") String goal,
            @Key(SLO) List<String> slo,
            @Key(BUDGET) List<String> budget,
            @Key("Seeds for each candidate that is not given up after the first. | 3 | 1..2147483647") int seeds,
            @Key("How far a candidate's first seed may miss the SLO, or lie behind the best, before it is given up. |"
                            + " 0.2 | 0..1000000")
                    double margin,
            @Key(CONFIDENCE) double confidence,
            @Key(SEED_KEY) String seedKey,
            @Key(AT_A_TIME) Optional<Integer> jobs,
            @Key(EXCLUDE) List<String> exclude,
            @Key(WHEN) List<String> when)
            implements Searching {
        @Override
        public int maxSeeds() {
            return seeds;
        }
    }

    @Variant("pareto | The Pareto-optimal combinations of the swept values.")
    record Pareto(
            @Key("What is good: min FIGURE or max FIGURE, each. | [min usd_per_mtok, min ttft_p99_ms, max"
                            + " throughput_tokens_per_s]")
                    List<String> goals,
            @Key(SLO) List<String> slo,
            @Key(BUDGET) List<String> budget,
            @Key("Seeds for each candidate. | 3 | 1..2147483647") int seeds,
            @Key(CONFIDENCE) double confidence,
            @Key(SEED_KEY) String seedKey,
            @Key(AT_A_TIME) Optional<Integer> jobs,
            @Key(EXCLUDE) List<String> exclude,
            @Key(WHEN) List<String> when)
            implements Searching {
        @Override
        public int maxSeeds() {
            return seeds;
        }
    }
}
