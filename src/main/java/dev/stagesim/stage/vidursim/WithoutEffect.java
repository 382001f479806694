package dev.stagesim.stage.vidursim;

import dev.stagesim.model.Problem;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.HostOverhead;
import dev.stagesim.settings.OutputSettings;
import dev.stagesim.settings.PredictorSettings;
import dev.stagesim.settings.ProfileSettings;
import dev.stagesim.settings.SchedulerSettings;
import dev.stagesim.settings.SimulationSettings;
import dev.stagesim.sim.serving.GlobalPolicy;
import java.util.ArrayList;
import java.util.List;

/** Finds options that were set although nothing in this run would read them, and ranges that hold nothing. */
final class WithoutEffect {
    /** Defaults of {@link SimulationSettings.Overheads}: what differs was set. */
    private static final double BATCHING = 0.1;

    private static final double LAUNCH_MS = 0.02;
    private static final double MARGIN = 0.1;
    private static final double ACCEPTANCE = 0.7;

    private final VidurSimSettings settings;
    private final List<Problem> problems = new ArrayList<>();

    private WithoutEffect(VidurSimSettings settings) {
        this.settings = settings;
    }

    static List<Problem> problems(VidurSimSettings settings) {
        WithoutEffect check = new WithoutEffect(settings);
        check.compat();
        check.cluster();
        check.engine();
        check.overheads();
        check.host();
        check.metrics();
        check.output();
        return check.problems;
    }

    private void add(String key, String why, String hint) {
        problems.add(Problem.config(key, "has no effect: " + why).hint(hint));
    }

    private void compat() {
        if (settings.compat() == Compat.ASTRA || settings.compat() == Compat.CHAKRA) {
            add("compat", "of the peers only Vidur simulates a service", "use none or vidur");
        }
    }

    private void cluster() {
        ClusterSettings cluster = settings.cluster();
        if (cluster.seed().isPresent() && cluster.globalScheduler() != GlobalPolicy.RANDOM) {
            add(
                    "cluster.seed",
                    "only cluster.global_scheduler=random draws numbers",
                    "leave it out, or set cluster.global_scheduler=random");
        }
    }

    private void engine() {
        if (settings.scheduler() instanceof SchedulerSettings.VllmV1 engine) {
            engine("vllm_v1", "scheduler.gpu_memory_utilization");
            drafts(engine.speculative());
        } else if (settings.scheduler() instanceof SchedulerSettings.Sglang engine) {
            engine("sglang", "scheduler.mem_fraction_static");
            cache(engine);
        }
    }

    private void engine(String kind, String memoryKey) {
        if (settings.compat() == Compat.VIDUR) {
            problems.add(Problem.config("scheduler.kind", "is " + kind + ", which Vidur does not have")
                    .hint("use compat=none, or one of Vidur's schedulers"));
        }
        if (settings.cluster().memoryMarginFraction() != MARGIN) {
            add(
                    "cluster.memory_margin_fraction",
                    "the engine's own setting decides how much memory is used",
                    "set " + memoryKey);
        }
    }

    private void drafts(SchedulerSettings.VllmV1.Speculative drafts) {
        boolean isUsual = drafts.method() == SchedulerSettings.VllmV1.Method.EAGLE
                && drafts.acceptance().equals(List.of(ACCEPTANCE));
        if (drafts.numTokens() == 0 && !isUsual) {
            add(
                    "scheduler.speculative",
                    "there are no drafts with scheduler.speculative.num_tokens=0",
                    "set the number of drafts");
        }
    }

    private void cache(SchedulerSettings.Sglang engine) {
        String why = "nothing is cached with scheduler.disable_radix_cache=true";
        if (engine.disableRadixCache() && engine.radixEvictionPolicy() != SchedulerSettings.Sglang.Eviction.LRU) {
            add("scheduler.radix_eviction_policy", why, "leave it out");
        }
        SchedulerSettings.Sglang.Policy policy = engine.schedulePolicy();
        if (engine.disableRadixCache()
                && (policy == SchedulerSettings.Sglang.Policy.LPM
                        || policy == SchedulerSettings.Sglang.Policy.DFS_WEIGHT)) {
            add("scheduler.schedule_policy", why, "use fcfs or lof");
        }
    }

    private void overheads() {
        SimulationSettings.Overheads overheads = settings.simulation().overheads();
        if (settings.model().numHeads() == settings.model().numKvHeads()) {
            String why =
                    "it is for grouped-query models, and " + settings.model().name() + " is none";
            unless(usual(overheads.attentionDecodeBatchingFraction()), "attention_decode_batching_fraction", why);
            unless(usual(overheads.attentionPrefillBatchingFraction()), "attention_prefill_batching_fraction", why);
        }
        if (settings.cluster().tensorParallelSize() == 1) {
            String why = "with cluster.tensor_parallel_size=1 there are no collectives";
            unless(overheads.ncclCpuLaunchMs() == LAUNCH_MS, "nccl_cpu_launch_ms", why);
            unless(overheads.ncclCpuSkewPerDeviceMs() == 0, "nccl_cpu_skew_per_device_ms", why);
        }
    }

    /** Host times that were asked for of the bundle that is made for this run, and are not added. */
    private void host() {
        boolean made =
                settings.profiling().root().isEmpty() && !(settings.predictor() instanceof PredictorSettings.Tables);
        boolean modelled = settings.profile() instanceof ProfileSettings.Roofline roofline
                && roofline.host() instanceof HostOverhead.Linear;
        boolean added = settings.simulation().overheads().host().orElse(settings.compat() != Compat.VIDUR);
        if (made && modelled && !added) {
            add(
                    "profile.host",
                    "host times are not added to steps with "
                            + (settings.simulation().overheads().host().isPresent()
                                    ? "simulation.overheads.host=false"
                                    : "compat=vidur"),
                    "set simulation.overheads.host=true, or profile.host.kind=none");
        }
    }

    /** The default, or none at all, which is what such models have. */
    private static boolean usual(double fraction) {
        return fraction == BATCHING || fraction == 0;
    }

    private void unless(boolean isDefault, String key, String why) {
        if (!isDefault) {
            add("simulation.overheads." + key, why, "leave it out");
        }
    }

    private void output() {
        OutputSettings output = settings.output();
        SimulationSettings simulation = settings.simulation();
        boolean told = simulation.tokenMetrics().isPresent()
                && simulation.batchMetrics().isPresent();
        if (output.detail() == OutputSettings.Detail.FULL && told) {
            add("output.detail", "simulation.token_metrics and batch_metrics say what is written", "leave it out");
        }
        if (output.fullUpTo() != OutputSettings.USUAL && output.detail() != OutputSettings.Detail.AUTO) {
            add("output.full_up_to", "it decides for output.detail=auto", "leave out one of the two");
        }
    }

    private void metrics() {
        SimulationSettings.Metrics metrics = settings.simulation().metrics();
        if (metrics.seriesPoints().isPresent() && !metrics.completionSeries()) {
            add(
                    "simulation.metrics.series_points",
                    "no series is written",
                    "set simulation.metrics.completion_series=true");
        }
        long first = metrics.minBatchIndex().orElse(0L);
        long last = metrics.maxBatchIndex().orElse(Long.MAX_VALUE);
        if (first > last) {
            problems.add(Problem.config(
                    "simulation.metrics.min_batch_index",
                    "is " + first + ", greater than max_batch_index (" + last + "): no batch would count"));
        }
    }
}
