package dev.stagesim.sweep.launch;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.List;
import java.util.Optional;

/** Launcher of the jobs of a sweep: the section {@code launcher}. One record per launcher. */
public sealed interface LauncherSettings
        permits LauncherSettings.Local, LauncherSettings.Shard, LauncherSettings.Spark {
    /** Keys that several launchers have. */
    String JOBS = "Maximum number of jobs at a time; null for one per core. | null | jobs | 1..100000";

    String MEMORY = "Maximum estimated memory of all running jobs; null for three quarters of the heap. A job above "
            + "the limit runs alone. | null | GiB | 0.000001..1000000";

    @Variant("local | Threads of this process; the longest job starts first.")
    record Local(@Key(JOBS) Optional<Integer> jobs, @Key(MEMORY) Optional<Double> memory) implements LauncherSettings {}

    @Variant("shard | One shard of the jobs, on threads of this process; other processes run the other " + "shards.")
    record Shard(
            @Key("Shard and number of shards: i/n, with i from 0 to n-1.") String shard,
            @Key("Assignment of jobs to shards. | round_robin") Assign assign,
            @Key(JOBS) Optional<Integer> jobs,
            @Key(MEMORY) Optional<Double> memory)
            implements LauncherSettings {}

    @Variant("spark | Processes of Apache Spark, on this machine or a cluster; see `stage engines`.")
    record Spark(
            @Key("Spark's master: local[N], spark://HOST:PORT, yarn, k8s://URL; null for local[*], or for the "
                            + "default of the cluster's spark-submit. | null")
                    @Access(Resource.NETWORK)
                    Optional<String> master,
            @Key("Path of a cluster's spark-submit; null for the installed engine. | null") @Access(Resource.PROGRAM)
                    Optional<String> submit,
            @Key("Directory for the runs of workers, as a URI that Hadoop supports and all workers can write; "
                            + "null if workers share the working directory. | null")
                    @Access(Resource.WRITTEN_FILE)
                    Optional<String> results,
            @Key("Spark properties, each as NAME=VALUE. | []") @Access(Resource.PROGRAM) List<String> conf,
            @Key("Maximum number of jobs submitted to Spark at a time. | 256 | jobs | 1..100000") int window)
            implements LauncherSettings {
        public Spark {
            conf = List.copyOf(conf);
        }
    }

    /** Assignment of jobs to shards. */
    enum Assign {
        ROUND_ROBIN, // In turn, by job number; shards have equal size.
        HASH // By a hash of the job's overrides; a job keeps its shard when jobs are added.
    }
}
