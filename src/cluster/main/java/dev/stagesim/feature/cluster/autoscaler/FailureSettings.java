package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.report.Numbers;
import java.util.Map;
import java.util.Optional;

/** The section {@code cluster.failures}. */
public sealed interface FailureSettings permits FailureSettings.Random, FailureSettings.Listed {
    /** Returns the maximum number of retries per request. */
    int retries();

    /** Returns why instances that take {@code startSeconds} to start never serve; empty if they do. */
    default Optional<String> whyNeverOpen(double startSeconds) {
        return Optional.empty();
    }

    /** Returns a problem of the settings for a number of instances, or empty if there is none. */
    default Optional<String> problem(int instances) {
        return Optional.empty();
    }

    @Variant("random | Each instance fails at exponentially distributed intervals while it is up.")
    record Random(
            @Key("Mean time between failures of an instance. | 100 | h | 0.0001..10000000") double mtbfH,
            @Key("Mean time until the restart begins, exponentially distributed. | 60 | s | 0..10000000") double mttrS,
            @Key("Maximum retries of a request after failures of its instance. | 1 | 0..1000") int retries,
            @Key("Random seed. | 42 | 0..9223372036854775807") long seed)
            implements FailureSettings {
        private static final double SECONDS_PER_HOUR = 3600;

        /** Maximum start time in mean times between failures. One of 22,000 starts survives a longer one. */
        private static final double MAX_START = 10;

        @Override
        public Optional<String> whyNeverOpen(double startSeconds) {
            double mean = mtbfH * SECONDS_PER_HOUR;
            return startSeconds <= MAX_START * mean
                    ? Optional.empty()
                    : Optional.of(
                            "is " + Numbers.plain(mtbfH) + ", which is a failure every " + Numbers.significant(mean, 3)
                                    + " s, but a start takes " + Numbers.significant(startSeconds, 3)
                                    + " s: a failed instance never serves again");
        }
    }

    /** A failure at a given time. */
    record Down(
            @Key("Instance number, as in cluster_instances.csv. | required | 0..1000000000") int instance,
            @Key("Time of the failure. | required | s | 0..1000000000") double atS,
            @Key("Time until the restart begins. | 60 | s | 0..10000000") double repairS) {}

    @Variant("listed | Instances fail at given times. A failure of an instance that is down has no effect.")
    record Listed(
            @Key("Failures, by an arbitrary name.") Map<String, Down> times,
            @Key("Maximum retries of a request after failures of its instance. | 1 | 0..1000") int retries)
            implements FailureSettings {
        @Override
        public Optional<String> problem(int instances) {
            return times.isEmpty()
                    ? Optional.of("contains no failure")
                    : times.values().stream()
                            .filter(down -> down.instance() >= instances)
                            .findFirst()
                            .map(down -> "refers to instance " + down.instance() + " of " + instances);
        }
    }
}
