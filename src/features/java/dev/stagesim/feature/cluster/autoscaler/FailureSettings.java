package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.report.Numbers;
import java.util.Map;
import java.util.Optional;

/** The section {@code cluster.failures}. */
public sealed interface FailureSettings {
    /** How often a request is sent again. */
    int retries();

    /** Returns why instances that take {@code startSeconds} to start never serve; empty if they do. */
    default Optional<String> whyNeverOpen(double startSeconds) {
        return Optional.empty();
    }

    /** What is wrong with it for so many instances; empty when nothing is. */
    default Optional<String> problem(int instances) {
        return Optional.empty();
    }

    @Variant("random | Every instance fails after times drawn from an exponential distribution while it is up.")
    record Random(
            @Key("Mean time between failures of an instance. | 100 | h | 0.0001..10000000") double mtbfH,
            @Key("Mean time until it is started again, exponential. | 60 | s | 0..10000000") double mttrS,
            @Key("How often a request is sent again whose instance failed. | 1 | 0..1000") int retries,
            @Key("Seed of the draws. | 42 | 0..9223372036854775807") long seed)
            implements FailureSettings {
        private static final double SECONDS_PER_HOUR = 3600;

        /** Mean times between failures that a start can take: one of 22,000 starts survives longer ones. */
        private static final double MAX_START = 10;

        @Override
        public Optional<String> whyNeverOpen(double startSeconds) {
            double mean = mtbfH * SECONDS_PER_HOUR;
            return startSeconds <= MAX_START * mean
                    ? Optional.empty()
                    : Optional.of("is " + Numbers.plain(mtbfH) + ", a failure every " + Numbers.significant(mean, 3)
                            + " s, and a start takes " + Numbers.significant(startSeconds, 3)
                            + " s: an instance that failed never serves again");
        }
    }

    /** A failure at a time. */
    record Down(
            @Key("The instance, as in cluster_instances.csv. | required | 0..1000000000") int instance,
            @Key("When it fails. | required | s | 0..1000000000") double atS,
            @Key("Time until it is started again. | 60 | s | 0..10000000") double repairS) {}

    @Variant("listed | Instances fail when the list says; one that is not up then does not.")
    record Listed(
            @Key("Failures, by any name.") Map<String, Down> times,
            @Key("How often a request is sent again whose instance failed. | 1 | 0..1000") int retries)
            implements FailureSettings {
        @Override
        public Optional<String> problem(int instances) {
            return times.isEmpty()
                    ? Optional.of("names no failure")
                    : times.values().stream()
                            .filter(down -> down.instance() >= instances)
                            .findFirst()
                            .map(down -> "names instance " + down.instance() + " of " + instances);
        }
    }
}
