package dev.stagesim.sweep;

import dev.stagesim.contract.RowInvariant;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.serving.tables.SimulationTables;

/** Schemas of the tables of a sweep. */
public final class SweepSchemas {
    public static final TableSchema JOBS = TableSchema.of(
            """
            jobs.csv 1 | Jobs of a sweep, one row per job in order of job number.
            job | int 0.. | Number of the job, from 0.
            status | text STATUS | State of the job.
            run_id | text? | Id of its run; empty unless done.
            overrides | text? | Its overrides, joined by spaces.
            error | text? | Reason of the failure, one line.
            """
                    .replace("STATUS", String.join("/", JobStatus.texts())),
            new RowInvariant.Increasing("job"));

    public static final TableSchema TOKEN_PERCENTILES = TableSchema.of(
            """
            token_percentiles.csv 1 | Percentiles over the token rows of a sweep's runs: of all jobs, of the jobs
                    with the same value of a swept key, and of each job. A percentile is the value of the nearest rank
                    with a relative error of at most 1/2048 (0.049 %); rows, minimum, mean and maximum are exact.
            scope | text all/value/job | Rows that are counted.
            key | text? | The swept key, if the scope is value.
            value | text? | Its value.
            job | int? 0.. | The job, if the scope is job.
            times | text TIMES | Time from arrival to the first token, or between
                    consecutive tokens or chunks.
            jobs | int 1.. | Jobs with such rows.
            rows | int 1.. | Rows.
            min_ns | int ns 0.. | Minimum.
            mean_ns | int ns 0.. | Mean, to the nearest ns.
            p50_ns | int ns 0.. | Median.
            p90_ns | int ns 0.. | 90th percentile.
            p95_ns | int ns 0.. | 95th percentile.
            p99_ns | int ns 0.. | 99th percentile.
            p999_ns | int ns 0.. | 99.9th percentile.
            max_ns | int ns 0.. | Maximum.
            """
                    .replace("TIMES", String.join("/", SimulationTables.MEASURED_TIMES)),
            new RowInvariant.NotBefore("p50_ns", "min_ns"),
            new RowInvariant.NotBefore("p99_ns", "p50_ns"),
            new RowInvariant.NotBefore("max_ns", "p999_ns"));

    private SweepSchemas() {}
}
