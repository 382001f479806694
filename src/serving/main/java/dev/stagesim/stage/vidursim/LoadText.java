package dev.stagesim.stage.vidursim;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.serving.metrics.AdmissionTimes;
import dev.stagesim.sim.serving.metrics.Series;
import dev.stagesim.sim.serving.metrics.SustainedLoad;
import dev.stagesim.sim.serving.metrics.Utilization;
import dev.stagesim.sim.serving.replica.AdmissionLimit;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.workload.ClosedLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Describes whether the load was sustained, and the resource that limited it. */
final class LoadText {
    private static final int DIGITS = 3;
    private static final double MS_PER_S = 1000;

    /** Minimum mean FLOPs utilisation in percent, and relative to its maximum, of a run that compute limits. */
    private static final double COMPUTE_PERCENT = 40;

    private static final double COMPUTE_SHARE = 0.6;

    /** Minimum number of restarts per request that is reported. */
    private static final double STARVED = 0.1;

    private final EngineText engine;
    private final MemoryPlan plan;
    private final SustainedLoad load;
    private final AdmissionTimes times;
    private final double busyPercent;
    private final double mfuPercent;
    private final double maxMfuPercent;
    private final boolean arePromptsLonger;
    private final double replicaSeconds;
    private final Optional<ClosedLoop> closedLoop;
    private final List<String> warnings;
    private final boolean isDrawn;
    private final Optional<Double> longWaitMs;

    /** @param isDrawn whether the requests are generated, so that more can be drawn */
    LoadText(
            ServingSpec spec,
            MemoryPlan plan,
            ServingMetrics figures,
            AdmissionTimes times,
            Utilization utilization,
            boolean isDrawn) {
        this.isDrawn = isDrawn;
        this.engine = new EngineText(spec.scheduler(), plan);
        this.plan = plan;
        load = figures.load();
        longWaitMs = figures.longWaitMs();
        this.times = times;
        this.replicaSeconds =
                (load.arrivalSeconds() + load.drainSeconds()) * spec.cluster().replicas();
        this.busyPercent = mean(spec, utilization::busy);
        this.mfuPercent = mean(spec, utilization::mfu);
        this.maxMfuPercent =
                stages(spec, utilization::mfu).mapToDouble(Series::max).max().orElse(0);
        this.arePromptsLonger = figures.promptTokens() > figures.outputTokens();
        closedLoop = figures.closedLoop();
        Optional<String> starved = starved(spec, figures);
        warnings = new ArrayList<>(starved.stream().toList());
        // the length of a loop changes little if its requests lack memory
        if (starved.isEmpty()) {
            warnings.addAll(figures.closedLoopWarnings(isDrawn));
        }
    }

    /** Returns a warning if many requests lost their KV cache, because it has room for few of them. */
    private Optional<String> starved(ServingSpec spec, ServingMetrics figures) {
        long restarts = figures.restarts();
        long requests = figures.requests();
        if (restarts < STARVED * requests) {
            return Optional.empty();
        }
        long tokens = plan.numBlocks() * spec.scheduler().limits().blockSize();
        double mean = (double) (figures.promptTokens() + figures.outputTokens()) / Math.max(1, requests);
        boolean hasGroups = spec.scheduler() instanceof SchedulerSpec.VllmV1 engine
                && !engine.layers().isEmpty();
        boolean isPaged = plan.numBlocks() > 0 && mean > 0 && !hasGroups;
        return Optional.of("the KV cache"
                + (isPaged
                        ? " of a replica has room for " + Numbers.count(tokens) + " tokens, about "
                                + Numbers.count(Math.max(1, Math.round(tokens / mean))) + " requests of this load"
                        : " is full")
                + "; " + Numbers.count(restarts) + " restarts of " + Numbers.count(requests)
                + " requests: raise tp, use weights=fp8 or kv_cache=fp8, or lower the load");
    }

    private static Stream<Series> stages(ServingSpec spec, BiFunction<Integer, Integer, Series> signal) {
        return IntStream.range(0, spec.cluster().replicas()).boxed().flatMap(replica -> IntStream.range(
                        0, spec.cluster().pipelineStages())
                .mapToObj(stage -> signal.apply(replica, stage)));
    }

    /** Returns the mean of a signal over all stages; a stage that never ran counts as 0. */
    private static double mean(ServingSpec spec, BiFunction<Integer, Integer, Series> signal) {
        return stages(spec, signal)
                .mapToDouble(Series::weightedMean)
                .map(mean -> Double.isNaN(mean) ? 0 : mean)
                .average()
                .orElse(0);
    }

    /** Returns a one-line verdict, such as {@code saturated: offered 50, served 9.6 requests/s; limit: batch_size_cap=128}. */
    String verdict() {
        if (closedLoop.isPresent()) {
            return closedLoop.get() + ": served " + Numbers.significant(load.servedPerSecond(), DIGITS)
                    + " requests/s over the whole run; limit: " + limit()
                    + warnings.stream().map(why -> "; " + why).collect(Collectors.joining());
        }
        return switch (load.verdict()) {
            case SUSTAINED -> longWait().orElse("sustained: ") + rates();
            case SATURATED -> "saturated: " + rates() + "; limit: " + limit();
            case TOO_SHORT -> load.shortness();
            case AT_ONCE -> "all requests arrived at once; limit: " + limit();
        };
    }

    /** Returns the begin of the verdict on a load close to the capacity: the queue does not grow, but requests wait. */
    private Optional<String> longWait() {
        return longWaitMs
                .filter(wait -> load.verdict() == SustainedLoad.Verdict.SUSTAINED)
                .map(wait -> "close to the capacity: requests wait " + seconds(wait / MS_PER_S)
                        + " (P99) for their prefill, limit: " + limit() + "; ");
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
                && load.servedPerSecond() < SustainedLoad.LOOKS_LOST * load.offeredPerSecond();
    }

    private static String seconds(double seconds) {
        return Numbers.significant(seconds, DIGITS) + " s";
    }

    /** Returns warnings about the metrics of the run; empty if the load was sustained. */
    List<String> warnings() {
        if (closedLoop.isPresent()) {
            return warnings;
        }
        Stream<String> ofLoad =
                load.verdict() == SustainedLoad.Verdict.SATURATED || longWait().isPresent()
                        ? Stream.of(verdict())
                        : tooShort().filter(text -> load.isMostlyDrained() && warnings.isEmpty()).stream();
        return Stream.concat(warnings.stream(), ofLoad).toList();
    }

    /**
     * Returns a note if the verdict requires more requests, or if the time after the last arrival lowers the served rate,
     * but the metrics do not mislead; empty otherwise.
     */
    Optional<String> note() {
        return tooShort()
                .or(() -> Optional.of("load " + verdict()).filter(text -> drainsLong() && closedLoop.isEmpty()))
                .filter(text -> warnings().isEmpty());
    }

    private Optional<String> tooShort() {
        return closedLoop.isPresent() ? Optional.empty() : load.tooShort(isDrawn);
    }

    /**
     * Returns the resource that limits the throughput: compute if its utilisation is close to the maximum that a step
     * reached, so that other limits have little effect; otherwise the setting that caused the longest waiting time.
     */
    String limit() {
        boolean isCompute = mfuPercent >= COMPUTE_PERCENT && mfuPercent >= COMPUTE_SHARE * maxMfuPercent;
        if (!isCompute || times.longest() == AdmissionLimit.NONE) {
            return setting();
        }
        return (arePromptsLonger ? "compute of prompts" : "compute") + " (FLOPs utilisation "
                + Numbers.fixed(mfuPercent, 0) + " %), then " + setting();
    }

    private String setting() {
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
