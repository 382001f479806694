package dev.stagesim.stage.vidursim;

import dev.stagesim.model.Problem;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.config.HostOverhead;
import dev.stagesim.serving.config.OutputSettings;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.workload.CompatMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds options without effect on the run, and empty ranges. */
final class UnusedOptions {
    private final VidurSimSettings settings;
    private final List<Problem> problems = new ArrayList<>();

    private UnusedOptions(VidurSimSettings settings) {
        this.settings = settings;
    }

    static List<Problem> problems(VidurSimSettings settings) {
        UnusedOptions check = new UnusedOptions(settings);
        check.compat();
        check.engine();
        check.adapters();
        check.overheads();
        check.host();
        check.sessions();
        check.metrics();
        check.output();
        return check.problems;
    }

    /** Sessions cannot move between replicas. */
    private void sessions() {
        if (settings.simulation().resumableRequests()
                && settings.cluster().replicas() * settings.scheduler().dataParallelSize() > 1) {
            problems.add(Problem.config(
                            "simulation.resumable_requests",
                            "requires cluster.replicas=1 with one engine: no global scheduler routes turns to the replica of "
                                    + "their session")
                    .hint("set cluster.replicas=1"));
        }
    }

    private void add(String key, String why, String hint) {
        problems.add(Problem.config(key, "has no effect: " + why).hint(hint));
    }

    private void compat() {
        if (settings.compat() == CompatMode.ASTRA || settings.compat() == CompatMode.CHAKRA) {
            add("compat", "Vidur is the only reference that simulates serving", "use none or vidur");
        }
    }

    private void engine() {
        if (settings.scheduler() instanceof SchedulerSettings.VllmV1) {
            engine("vllm_v1");
        } else if (settings.scheduler() instanceof SchedulerSettings.Sglang engine) {
            engine("sglang");
            cache(engine);
        }
    }

    private void engine(String kind) {
        if (settings.compat() == CompatMode.VIDUR) {
            problems.add(Problem.config("scheduler.kind", "is " + kind + ", which Vidur lacks")
                    .hint("use compat=none, or one of Vidur's schedulers"));
        }
    }

    private void cache(SchedulerSettings.Sglang engine) {
        String why = "nothing is cached with scheduler.disable_radix_cache=true";
        if (engine.cache().disableRadixCache() && engine.schedulePolicy().readsCache()) {
            add("scheduler.schedule_policy", why, "use fcfs or lof");
        }
    }

    /** Checks the adapters of a generated workload; workloads of finished runs are checked when they are read. */
    private void adapters() {
        boolean serves = settings.scheduler() instanceof SchedulerSettings.VllmV1 engine
                && engine.lora().enableLora();
        if (!serves
                && settings.workload() instanceof ServingWorkload made
                && made.dir().isEmpty()
                && made.labels().adapters() > 0
                && made.labels().baseShare() < 1) {
            problems.add(Problem.config(
                            "workload.labels.adapters",
                            "is " + made.labels().adapters() + ", but LoRA is disabled in the engine")
                    .hint("set engine=vllm_v1 and scheduler.enable_lora=true, or workload.labels.adapters=0"));
        }
    }

    private void overheads() {
        SimulationSettings.Overheads overheads = settings.simulation().overheads();
        if (settings.model().shape().numHeads() == settings.model().shape().numKvHeads()) {
            String why = "it applies to grouped-query models, and "
                    + settings.model().name() + " is not one";
            unless(usual(overheads.attentionDecodeBatchingFraction()), "attention_decode_batching_fraction", why);
            unless(usual(overheads.attentionPrefillBatchingFraction()), "attention_prefill_batching_fraction", why);
        }
    }

    /** Checks host times that the generated bundle has but the simulation ignores. */
    private void host() {
        boolean made = settings.times().profiling().root().isEmpty()
                && !(settings.times().predictor() instanceof PredictorSettings.Tables);
        boolean modelled = settings.times().profile() instanceof ProfileSettings.Roofline roofline
                && roofline.host() instanceof HostOverhead.Linear;
        boolean added = settings.simulation().overheads().host().orElse(settings.compat() != CompatMode.VIDUR);
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

    /** Returns true if the share is unset or 0. */
    private static boolean usual(Optional<Double> fraction) {
        return fraction.orElse(0.0) == 0;
    }

    private void unless(boolean isDefault, String key, String why) {
        if (!isDefault) {
            add("simulation.overheads." + key, why, "omit it");
        }
    }

    private void output() {
        OutputSettings output = settings.output();
        SimulationSettings simulation = settings.simulation();
        boolean isStated = simulation.tokenMetrics().isPresent()
                && simulation.batchMetrics().isPresent();
        if (output.detail() == OutputSettings.Detail.FULL && isStated) {
            add("output.detail", "simulation.token_metrics and batch_metrics determine the files", "omit it");
        }
    }

    private void metrics() {
        SimulationSettings.Metrics metrics = settings.simulation().metrics();
        long first = metrics.minBatchIndex().orElse(0L);
        long last = metrics.maxBatchIndex().orElse(Long.MAX_VALUE);
        if (first > last) {
            problems.add(Problem.config(
                    "simulation.metrics.min_batch_index",
                    "is " + first + ", above max_batch_index (" + last + "): the range is empty"));
        }
    }
}
