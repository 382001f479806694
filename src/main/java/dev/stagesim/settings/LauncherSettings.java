package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.Optional;

/** Where the jobs of a sweep run: the section {@code launcher}. One record for each launcher. */
public sealed interface LauncherSettings {
    /** Threads of this process. */
    @Variant(value = "local", doc = "Threads of this process, the longest job first.")
    record Local(
            @Key(doc = "Most jobs at a time; null for one per core.", unit = "jobs", def = "null", min = "1")
                    Optional<Integer> jobs,
            @Key(
                            doc = "Memory that the jobs under way may hold together, by their estimates; null for three"
                                    + " quarters of the heap. A job that needs more runs alone.",
                            unit = "GiB",
                            def = "null",
                            min = "0",
                            above = true)
                    Optional<Double> memory)
            implements LauncherSettings {}

    /** Threads of this process, for a part of the jobs. */
    @Variant(value = "shard", doc = "One part of the jobs, on threads of this process; other processes run the others.")
    record Shard(
            @Key(doc = "Which part of how many: i/n, with i from 0 to n-1.") String shard,
            @Key(doc = "How jobs are dealt to parts.", def = "round_robin") Assign assign,
            @Key(doc = "Most jobs at a time; null for one per core.", unit = "jobs", def = "null", min = "1")
                    Optional<Integer> jobs,
            @Key(
                            doc = "Memory that the jobs under way may hold together, by their estimates; null for three"
                                    + " quarters of the heap. A job that needs more runs alone.",
                            unit = "GiB",
                            def = "null",
                            min = "0",
                            above = true)
                    Optional<Double> memory)
            implements LauncherSettings {}

    /** How jobs are dealt to the parts of a sweep. */
    enum Assign {
        /** In turn, by job number: parts of equal size. */
        ROUND_ROBIN,
        /** By a hash of the job's overrides: a job keeps its part when others are added. */
        HASH
    }
}
