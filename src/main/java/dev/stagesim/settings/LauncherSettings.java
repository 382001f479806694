package dev.stagesim.settings;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.List;
import java.util.Optional;

/** Where the jobs of a sweep run: the section {@code launcher}. One record for each launcher. */
public sealed interface LauncherSettings
        permits LauncherSettings.Local, LauncherSettings.Shard, LauncherSettings.Spark {
    /** Keys that several launchers have. */
    String JOBS = "Maximum number of jobs at a time; null for one per core. | null | jobs | 1..100000";

    String MEMORY =
            "Memory that the jobs under way may hold together, by their estimates; null for three quarters of the"
                    + " heap. A job that needs more runs alone. | null | GiB | 0.000001..1000000";

    @Variant("local | Threads of this process, the longest job first.")
    record Local(@Key(JOBS) Optional<Integer> jobs, @Key(MEMORY) Optional<Double> memory) implements LauncherSettings {}

    @Variant("shard | One part of the jobs, on threads of this process; other processes run the others.")
    record Shard(
            @Key("Which part of how many: i/n, with i from 0 to n-1.") String shard,
            @Key("How jobs are assigned to parts. | round_robin") Assign assign,
            @Key(JOBS) Optional<Integer> jobs,
            @Key(MEMORY) Optional<Double> memory)
            implements LauncherSettings {}

    @Variant("spark | Processes of Apache Spark, on this machine or a cluster; see `stage engines`.")
    record Spark(
            @Key("Spark's master: local[N], spark://HOST:PORT, yarn, k8s://URL; null for local[*], or for what the"
                            + " cluster's spark-submit is set to. | null")
                    @Access(Resource.NETWORK)
                    Optional<String> master,
            @Key("The spark-submit of a cluster, which brings its own Spark; null for the installed engine. | null")
                    @Access(Resource.PROGRAM)
                    Optional<String> submit,
            @Key("Directory that all workers can write to, as a URI that Hadoop knows, to bring runs back through;"
                            + " null when they see the working directory. | null")
                    @Access(Resource.WRITTEN_FILE)
                    Optional<String> results,
            @Key("Settings of Spark, each NAME=VALUE. | []") @Access(Resource.PROGRAM) List<String> conf,
            @Key("Maximum number of jobs that Spark has at a time. | 256 | jobs | 1..100000") int window)
            implements LauncherSettings {
        public Spark {
            conf = List.copyOf(conf);
        }
    }

    /** How jobs are dealt to the parts of a sweep. */
    enum Assign {
        ROUND_ROBIN, // In turn, by job number: parts of equal size.
        HASH // By a hash of the job's overrides: a job keeps its part when others are added.
    }
}
