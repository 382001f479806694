package dev.stagesim.serving.evidence;

import dev.stagesim.io.times.TimesFolder;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.predict.Operator;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.workload.CompatMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The table or model from which the times of a class of operators come.
 *
 * @param operators the operators
 * @param method table, bundle, or model
 * @param source source of its values
 */
public record TimeSource(String operators, String method, String source) {
    private static final String NONE = "no source";
    private static final String ROOFLINE = "roofline with the kernel efficiencies of the device's architecture";

    /**
     * Returns the sources of a replica's step times.
     *
     * @param bundle the profiling bundle as text; only used if the predictor reads one
     */
    public static List<TimeSource> of(ReplicaModel replica, String bundle) {
        List<TimeSource> sources = new ArrayList<>();
        if (replica.predictor() instanceof PredictorSettings.Tables tables) {
            for (Operator operator : Operator.values()) {
                TimesFolder.file(tables.dir(), operator)
                        .ifPresent(file -> sources.add(new TimeSource(operator.column(), "table", file.toString())));
            }
        } else if (replica.isComputed()) {
            computed(replica, sources);
        } else {
            bundled(replica, bundle, sources);
        }
        sources.add(engine(replica));
        return sources;
    }

    private static void computed(ReplicaModel replica, List<TimeSource> sources) {
        ModelCard model = replica.model();
        HardwareCard hardware = replica.hardware();
        String kernels = hardware.kernels().source().orElse(NONE);
        boolean isCovered = hardware.kernels().source().isPresent();
        String method = isCovered ? ROOFLINE : "not covered: hardware.kernels has no source";
        sources.add(new TimeSource(
                "matrix products: attn_pre_proj, attn_post_proj, mlp_up_proj, mlp_down_proj", method, kernels));
        sources.add(new TimeSource("attention: attn_prefill, attn_decode", method, kernels));
        if (model.isMixtureOfExperts()) {
            sources.add(new TimeSource("experts: in mlp_up_proj, mlp_down_proj", method, kernels));
        }
        if (model.hybrid().stateLayers().isPresent()) {
            sources.add(new TimeSource(
                    "recurrent layers: in attn_prefill, attn_decode", "roofline without measured kernels", NONE));
        }
        sources.add(new TimeSource(
                "element-wise: norms, attn_rope, attn_kv_cache_save, mlp_act, add",
                isCovered ? "memory bandwidth and minimum time of the device's architecture" : method,
                kernels));
        if (replica.devices() > 1) {
            sources.add(new TimeSource(
                    "collectives: all_reduce, send_recv",
                    "latency and bandwidth of the links",
                    hardware.link().source().orElse(NONE)));
        }
        if (model.isMixtureOfExperts() && replica.scheduler().dataParallelSize() > 1) {
            sources.add(new TimeSource(
                    "tokens sent to experts and back",
                    "latency and bandwidth of the links and the network",
                    hardware.link().source().orElse(NONE)));
        }
    }

    private static void bundled(ReplicaModel replica, String bundle, List<TimeSource> sources) {
        String method = replica.predictor().getClass().getSimpleName().toLowerCase(Locale.ROOT) + " in the bundle";
        sources.add(new TimeSource(
                "matrix products and element-wise: attn_pre_proj, attn_post_proj, mlp_*, norms, add",
                method,
                bundle + ", mlp.csv"));
        sources.add(new TimeSource("attention: attn_prefill, attn_decode", method, bundle + ", attention.csv"));
        if (replica.cluster().tensorParallelSize() > 1) {
            sources.add(new TimeSource("collectives: all_reduce", method, bundle + ", all_reduce.csv"));
        }
        if (replica.cluster().numPipelineStages() > 1) {
            sources.add(new TimeSource("collectives: send_recv", method, bundle + ", send_recv.csv"));
        }
        if (replica.overheads().host().orElse(false)) {
            sources.add(new TimeSource("host: schedule, sampler_e2e, ...", method, bundle + ", cpu_overheads.csv"));
        }
    }

    private static TimeSource engine(ReplicaModel replica) {
        StepCard engine = replica.engine();
        String operators = "host and step: schedule, sampler, launches, CUDA graphs";
        boolean isNone = engine.graphs().execution() == StepCard.Execution.NONE || replica.compat() == CompatMode.VIDUR;
        return isNone
                ? new TimeSource(operators, "not included", "engine=none")
                : new TimeSource(
                        operators,
                        "engine card"
                                + engine.versions()
                                        .map(versions -> " of " + versions)
                                        .orElse(""),
                        engine.source().orElse(NONE));
    }
}
