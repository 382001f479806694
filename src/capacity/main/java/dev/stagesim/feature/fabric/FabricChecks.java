package dev.stagesim.feature.fabric;

import dev.stagesim.capacity.AtlasSettings;
import dev.stagesim.capacity.CatalogWorkload;
import dev.stagesim.feature.fabric.FabricStageSettings.Mode;
import dev.stagesim.feature.fabric.FabricStageSettings.Source;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.model.Problem;
import dev.stagesim.model.card.TransformerShape;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.sim.capacity.AcceleratorCard;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds settings that contradict each other or the workload, and reports all of them at once. */
final class FabricChecks {
    private static final double GB = 1e9;
    private static final int MAX_TENSOR = 64;

    /** Maximum share of a device for weights, so that a KV cache fits. */
    private static final double MAX_WEIGHTS_SHARE = 0.75;

    private FabricChecks() {}

    static List<Problem> problems(FabricStageSettings settings) {
        List<Problem> problems = new ArrayList<>();
        boolean ownWorkload =
                settings.compat() == Mode.ATLAS && settings.atlas().workloads().isPresent();
        if (!(settings.workload() instanceof CatalogWorkload) && !ownWorkload) {
            problems.add(Problem.config("workload.kind", "must be catalog")
                    .hint("choose workload=chat_service, or workload=catalog workload.file=..."));
        }
        if (settings.compat() == Mode.ATLAS) {
            atlas(settings.atlas(), problems);
            return problems;
        }
        if (settings.machines().source() == Source.MEASURED
                && settings.runs().real().dir().isEmpty()) {
            problems.add(Problem.config("real.dir", "is missing: source=measured reads a finished real_bench run"));
        }
        if (settings.machines().source() != Source.SIMULATED
                && settings.runs().sim().dir().isPresent()) {
            problems.add(Problem.config("sim.dir", "has no effect without source=simulated"));
        }
        return problems;
    }

    private static void atlas(AtlasSettings atlas, List<Problem> problems) {
        pair(atlas.targets().isPresent(), "atlas.targets", atlas.target().isPresent(), "atlas.target", problems);
        pair(
                atlas.workloads().isPresent(),
                "atlas.workloads",
                atlas.workload().isPresent(),
                "atlas.workload",
                problems);
        if (atlas.targets().isPresent() && atlas.hardware().isEmpty()) {
            problems.add(Problem.config("atlas.hardware", "is missing: targets of a file need accelerator cards"));
        }
    }

    private static void pair(boolean file, String fileKey, boolean name, String nameKey, List<Problem> problems) {
        if (file && !name) {
            problems.add(Problem.config(nameKey, "is missing: name the entry of " + fileKey));
        }
    }

    /** Returns the keys of a workload for the model; empty if a file describes the workload. */
    private static String described(FabricStageSettings settings, CatalogEntry entry) {
        TransformerShape shape = settings.model().shape();
        if (!(settings.workload() instanceof CatalogWorkload) || !entry.isServed()) {
            return "";
        }
        double bytes = settings.model().size().weightBytes() / MAX_WEIGHTS_SHARE;
        int tensor = entry.parallelism().tp();
        while (tensor < MAX_TENSOR
                && bytes > tensor * settings.hardware().memory().memGb() * GB) {
            tensor *= 2;
        }
        int copies = Math.max(1, entry.parallelism().tp() * entry.parallelism().dp() / tensor);
        return "for this one, set workload.params.hidden_size=" + shape.hiddenSize() + " workload.params.n_layers="
                + shape.numLayers() + " workload.params.n_heads=" + shape.numHeads() + " workload.params.vocab_size="
                + shape.vocabSize() + " workload.model_family="
                + settings.model().family()
                + " workload.parallelism.tp=" + tensor + " workload.parallelism.dp=" + copies + "; or ";
    }

    /** Finds settings that contradict the workload. */
    static List<Problem> entry(FabricStageSettings settings, CatalogEntry entry) {
        List<Problem> problems = new ArrayList<>();
        if (entry.hiddenSize() != settings.model().shape().hiddenSize()
                || entry.layers() != settings.model().shape().numLayers()) {
            problems.add(Problem.config(
                            "model",
                            settings.model().name() + " is "
                                    + settings.model().shape().hiddenSize() + " wide and has "
                                    + settings.model().shape().numLayers() + " layers, but workload " + entry.name()
                                    + " states " + entry.hiddenSize() + " and " + entry.layers())
                    .hint("fabric prices the model that the workload describes: " + described(settings, entry)
                            + "leave out model, or find the cheapest deployment of the model with stage plan"));
        }
        if (entry.isServed()) {
            served(settings, entry, problems);
        } else {
            training(settings, problems);
        }
        boolean closed = settings.machines().source() == Source.SEMI_EMPIRICAL;
        if (closed) {
            problems.addAll(card(settings.machines().target().card()));
        }
        if (!closed) {
            tuning(settings.machines().tuning(), entry.isServed(), problems);
        }
        List<String> networks = List.copyOf(settings.machines()
                .target()
                .card()
                .communication()
                .fabricFactors()
                .keySet());
        if (closed && !networks.contains(entry.tuning().fabric())) {
            problems.add(Problem.config(
                            "runtime_tuning.fabric",
                            "'" + entry.tuning().fabric() + "' has no factor in target.card.fabric_factors")
                    .options(networks));
        }
        return problems;
    }

    /** Finds contradictory coefficients of a card. */
    static List<Problem> card(AcceleratorCard card) {
        List<Problem> problems = new ArrayList<>();
        atMost(
                "p95_multiplier",
                card.latency().p95Multiplier(),
                "p99_multiplier",
                card.latency().p99Multiplier(),
                problems);
        atMost(
                "utilization",
                card.utilisation().utilization(),
                "utilization_max",
                card.utilisation().utilizationMax(),
                problems);
        atMost(
                "hbm_base",
                card.bandwidth().hbmBase(),
                "hbm_max",
                card.bandwidth().hbmMax(),
                problems);
        return problems;
    }

    private static void atMost(String low, double value, String high, double limit, List<Problem> problems) {
        if (value > limit) {
            problems.add(Problem.config(
                    "target.card." + low, "is " + value + ", expected at most target.card." + high + "=" + limit));
        }
    }

    /** Refuses runtime settings that only the closed form uses. */
    private static void tuning(CatalogWorkload.Tuning tuning, boolean served, List<Problem> problems) {
        Map<String, Optional<?>> given = new LinkedHashMap<>();
        given.put("microbatch", tuning.microbatch());
        given.put("cuda_graphs", tuning.cudaGraphs());
        given.put("gpudirect_rdma", tuning.gpudirectRdma());
        given.put("virt", tuning.virt());
        given.put("fabric", tuning.fabric());
        given.forEach((key, value) -> refuse(
                value.isPresent() && UnsupportedInputs.isIgnored(key, served),
                "tuning." + key,
                served
                        ? "serving simulations do not use this setting; see scheduler, or source=semi_empirical"
                        : "step simulations do not use this setting; see target.links, or source=semi_empirical",
                problems));
    }

    private static void served(FabricStageSettings settings, CatalogEntry entry, List<Problem> problems) {
        refuse(
                settings.operation().slo().stepMs().isPresent(),
                "slo.step_ms",
                "a served workload has no steps",
                problems);
        if (settings.machines().source() == Source.SIMULATED) {
            cluster(settings, entry, problems);
        }
        if (settings.machines().source() != Source.SEMI_EMPIRICAL
                && !(settings.serving().profile() instanceof ProfileSettings.Roofline)) {
            problems.add(Problem.config(
                            "profile.profiler", "must be roofline, because targets are compared by roofline times")
                    .hint("set profile=roofline, or source=semi_empirical"));
        }
        refuse(settings.runs().train().dir().isPresent(), "train.dir", "a served workload has no steps", problems);
        if (settings.machines().source() != Source.SEMI_EMPIRICAL) {
            engines(settings.serving().scheduler(), problems);
        }
    }

    /** Refuses settings that share an engine among copies, because each copy is a separate engine. */
    private static void engines(SchedulerSettings scheduler, List<Problem> problems) {
        Map<String, Boolean> given = new LinkedHashMap<>();
        given.put("data_parallel_size", scheduler.dataParallelSize() > 1);
        given.put("enable_expert_parallel", scheduler.enableExpertParallel());
        if (scheduler instanceof SchedulerSettings.VllmV1 vllm) {
            ofVllm(vllm, given);
        }
        given.forEach((key, isGiven) -> {
            if (isGiven) {
                problems.add(Problem.config(
                                "scheduler." + key,
                                "is not supported: every copy is one engine on tensor-parallel devices")
                        .hint("leave it out, or simulate the deployment with vidur_sim"));
            }
        });
    }

    private static void ofVllm(SchedulerSettings.VllmV1 vllm, Map<String, Boolean> given) {
        given.put("decode_context_parallel_size", vllm.context().decodeContextParallelSize() > 1);
        given.put("prefill_context_parallel_size", vllm.context().prefillContextParallelSize() > 1);
        given.put("cp_kv_cache_interleave_size", vllm.context().cpKvCacheInterleaveSize() > 1);
        given.put("prefill_schedule_interval", vllm.engines().prefillScheduleInterval() > 1);
    }

    private static void training(FabricStageSettings settings, List<Problem> problems) {
        String why = "a training workload serves no requests";
        refuse(settings.operation().slo().p99TtftMs().isPresent(), "slo.p99_ttft_ms", why, problems);
        refuse(settings.operation().slo().p99TpotMs().isPresent(), "slo.p99_tpot_ms", why, problems);
        refuse(
                settings.machines().source() == Source.MEASURED,
                "source",
                "measured training runs are not supported",
                problems);
    }

    private static void cluster(FabricStageSettings settings, CatalogEntry entry, List<Problem> problems) {
        CatalogEntry.Parallelism spread = entry.parallelism();
        // The default of the section is derived from the workload settings, which are incomplete if a file or a run
        // provides the entry.
        boolean untouched = settings.workload() instanceof CatalogWorkload catalog
                && is(
                        settings,
                        catalog.shape().parallelism().tp(),
                        catalog.shape().parallelism().pp(),
                        catalog.shape().parallelism().dp());
        if (!untouched && !is(settings, spread.tp(), spread.pp(), spread.dp())) {
            problems.add(Problem.config(
                            "cluster",
                            "the simulated deployment differs from the one that workload " + entry.name() + " states")
                    .hint(
                            "leave out cluster.tensor_parallel_size, cluster.num_pipeline_stages and cluster.replicas: the"
                                    + " workload states " + spread.tp() + ", " + spread.pp() + " and " + spread.dp()));
        }
    }

    private static boolean is(FabricStageSettings settings, int tp, int pp, int dp) {
        return settings.serving().cluster().tensorParallelSize() == tp
                && settings.serving().cluster().numPipelineStages() == pp
                && settings.serving().cluster().replicas() == dp;
    }

    private static void refuse(boolean given, String key, String why, List<Problem> problems) {
        if (given) {
            problems.add(Problem.config(key, "has no effect: " + why));
        }
    }
}
