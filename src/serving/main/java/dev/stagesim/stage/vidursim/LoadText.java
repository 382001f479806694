package dev.stagesim.stage.vidursim;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.serving.metrics.AdmissionTimes;
import dev.stagesim.sim.serving.metrics.SustainedLoad;
import dev.stagesim.sim.serving.metrics.Utilization;
import dev.stagesim.sim.serving.replica.AdmissionLimit;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.workload.ClosedLoop;
import java.util.Optional;

/** Describes whether the load was sustained, and the resource that limited it. */
final class LoadText {
    private static final int DIGITS = 3;
    private static final double LOOKS_LOST = 0.95;
    private static final int STEADY_ROUNDS = 10;

    private final EngineText engine;
    private final MemoryPlan plan;
    private final SustainedLoad load;
    private final AdmissionTimes times;
    private final double busyPercent;
    private final double replicaSeconds;
    private final Optional<ClosedLoop> closedLoop;
    private final int requests;

    LoadText(
            ServingSpec spec,
            MemoryPlan plan,
            SustainedLoad load,
            RequestTrace trace,
            AdmissionTimes times,
            Utilization utilization) {
        this.engine = new EngineText(spec.scheduler(), plan);
        this.plan = plan;
        this.load = load;
        this.times = times;
        this.replicaSeconds =
                (load.arrivalSeconds() + load.drainSeconds()) * spec.cluster().replicas();
        this.busyPercent = busy(spec, utilization);
        closedLoop = trace.closedLoop();
        requests = trace.size();
    }

    private static double busy(ServingSpec spec, Utilization utilization) {
        double sum = 0;
        int count = 0;
        for (int replica = 0; replica < spec.cluster().replicas(); replica++) {
            for (int stage = 0; stage < spec.cluster().pipelineStages(); stage++) {
                double mean = utilization.busy(replica, stage).weightedMean();
                if (!Double.isNaN(mean)) {
                    sum += mean;
                }
                count++;
            }
        }
        return sum / count;
    }

    /** Returns a one-line verdict, such as {@code saturated: offered 50, served 9.6 requests/s; limit: batch_size_cap=128}. */
    String verdict() {
        if (closedLoop.isPresent()) {
            return closedLoop.get() + ": served " + Numbers.significant(load.servedPerSecond(), DIGITS)
                    + " requests/s over the whole run; limit: " + limit()
                    + shortLoop(closedLoop.get().concurrency())
                            .map(why -> "; " + why)
                            .orElse("");
        }
        return switch (load.verdict()) {
            case SUSTAINED -> "sustained: " + rates();
            case SATURATED -> "saturated: " + rates() + "; limit: " + limit();
            case TOO_SHORT ->
                "too short for a verdict: requests arrived for " + seconds(load.arrivalSeconds())
                        + ", the run drained for another " + seconds(load.drainSeconds()) + "; offered "
                        + Numbers.significant(load.offeredPerSecond(), DIGITS) + " requests/s";
            case AT_ONCE -> "all requests arrived at once; limit: " + limit();
        };
    }

    private String rates() {
        return "offered " + Numbers.significant(load.offeredPerSecond(), DIGITS) + ", served "
                + Numbers.significant(load.servedPerSecond(), DIGITS) + " requests/s"
                + (drainsLong()
                        ? " over the whole run, including " + seconds(load.drainSeconds()) + " after the last arrival"
                        : "");
    }

    /** Returns true if the time after the last arrival distorts the served rate. */
    private boolean drainsLong() {
        return load.verdict() == SustainedLoad.Verdict.SUSTAINED
                && load.servedPerSecond() < LOOKS_LOST * load.offeredPerSecond();
    }

    private static String seconds(double seconds) {
        return Numbers.significant(seconds, DIGITS) + " s";
    }

    /** Returns a warning about the metrics of the run; empty if the load was sustained. */
    Optional<String> warning() {
        if (closedLoop.isPresent()) {
            return shortLoop(closedLoop.get().concurrency());
        }
        return switch (load.verdict()) {
            case SATURATED -> Optional.of(verdict());
            case TOO_SHORT ->
                Optional.of(verdict()
                        + ". throughput_requests_per_s is over both and is not the capacity: raise"
                        + " workload.num_requests");
            default -> Optional.empty();
        };
    }

    /** Returns a warning if most of a closed loop is its start and its end, where fewer requests are in flight. */
    private Optional<String> shortLoop(int concurrency) {
        if (concurrency == 1 || requests >= (long) STEADY_ROUNDS * concurrency) {
            return Optional.empty();
        }
        String reached = requests <= concurrency
                ? "all " + Numbers.count(requests) + " requests start at once, and none follows"
                : Numbers.count(requests) + " requests with " + Numbers.count(concurrency)
                        + " in flight are mostly the start and the end of the loop, which lower the throughput";
        return Optional.of(reached + ": set requests=" + (long) STEADY_ROUNDS * concurrency + " or more");
    }

    /** Returns the setting that caused the longest waiting time, or compute. */
    String limit() {
        return switch (times.longest()) {
            case BATCH_CAP -> engine.requestLimit();
            case TOKEN_BUDGET -> engine.scheduler().tokenLimit();
            case KV_BLOCKS -> "kv_blocks=" + plan.numBlocks();
            case NONE -> "compute (stages busy " + Numbers.fixed(busyPercent, 0) + " % of the time)";
        };
    }

    /** Returns the share of the replicas' time for which each resource delayed requests. */
    DataTable table() {
        DataTable table = new DataTable("Resources that delayed requests, as a share of the replicas' time")
                .columns("Limit", "#time (%)");
        double delayed = 0;
        delayed += row(table, "batch size cap", AdmissionLimit.BATCH_CAP);
        delayed += row(table, "token budget of a step", AdmissionLimit.TOKEN_BUDGET);
        delayed += row(table, "KV blocks", AdmissionLimit.KV_BLOCKS);
        table.row("compute only: stages busy, no request waits", Numbers.fixed(Math.max(0, busyPercent - delayed), 1));
        return table;
    }

    private double row(DataTable table, String name, AdmissionLimit limit) {
        double percent = replicaSeconds > 0 ? 100 * times.seconds(limit) / replicaSeconds : 0;
        table.row(name, Numbers.fixed(percent, 1));
        return percent;
    }
}
