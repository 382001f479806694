package dev.stagesim.feature.plan;

import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineChoice.Drafting;
import dev.stagesim.serving.EngineChoice.ExpertLayout;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.serving.settings.Speculation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Enumerates the shapes and batch limits of a search, from the settings or by default rules. */
final class DeploymentSpace {
    private static final List<Integer> STAGES = List.of(1, 2, 4);
    private static final double GIB = 1L << 30;
    private static final int NODES = 2;

    /** Approximate share of device memory that engines use. */
    private static final double DEFAULT_MEMORY_SHARE = 0.9;

    private final PlanSettings settings;

    DeploymentSpace(PlanSettings settings) {
        this.settings = settings;
    }

    private PlanSettings.Search search() {
        return settings.search();
    }

    private List<Integer> tensor() {
        if (!search().tp().isEmpty()) {
            return search().tp();
        }
        return powers(maxDevices());
    }

    private int maxDevices() {
        return NODES * new Links(settings.hardware()).devicesPerNode();
    }

    /** Returns the powers of two up to a maximum. */
    private static List<Integer> powers(int max) {
        List<Integer> degrees = new ArrayList<>();
        for (int degree = 1; degree <= Math.max(1, max); degree *= 2) {
            degrees.add(degree);
        }
        return degrees;
    }

    /**
     * Uses pipeline stages if the weights need more devices than tensor parallelism can use: a full node, or one device
     * without a fast link.
     */
    private List<Integer> stages(int tp, long weightBytes) {
        if (!search().pp().isEmpty()) {
            return search().pp();
        }
        HardwareCard hardware = settings.hardware();
        boolean isLinked = hardware.scaleup().scaleupUniGbs() > 0 && tp != new Links(hardware).devicesPerNode();
        boolean fits = weightBytes
                < tp
                        * settings.memoryUtilization().orElse(DEFAULT_MEMORY_SHARE)
                        * hardware.memory().memGb()
                        * GIB;
        return isLinked || fits ? List.of(1) : STAGES;
    }

    private List<Precision> weights() {
        ModelCard model = settings.model();
        boolean mixed = model.expertPrecision() != model.formats().weights()
                || !model.formats().storage().isEmpty();
        return precisions(search().weights(), model.formats().weights(), !mixed);
    }

    private List<Precision> kvCache() {
        return precisions(search().kvCache(), settings.model().formats().kvCache(), true);
    }

    private List<Precision> precisions(List<Precision> given, Precision modelPrecision, boolean mayChange) {
        if (!given.isEmpty()) {
            return given;
        }
        HardwareCard hardware = settings.hardware();
        boolean changes = mayChange
                && modelPrecision == Precision.BF16
                && hardware.rates().fp8Tflops().isPresent();
        return changes ? List.of(modelPrecision, Precision.FP8) : List.of(modelPrecision);
    }

    List<Shape> shapes() {
        ModelCard model = settings.model();
        List<Drafting> drafting = drafting();
        List<Shape> shapes = new ArrayList<>();
        settings.candidates().forEach((name, engine) -> {
            for (Precision weights : weights()) {
                Precision experts = weights == model.formats().weights() ? model.expertPrecision() : weights;
                long bytes = model.stored(weights, experts, model.formats().kvCache())
                        .size()
                        .weightBytes();
                for (int tp : tensor()) {
                    for (int pp : stages(tp, bytes)) {
                        for (Precision kv : kvCache()) {
                            for (ExpertLayout layout : layouts(tp, pp)) {
                                drafting.forEach(drafts -> shapes.add(
                                        new Shape(name, engine.step(), tp, pp, weights, experts, kv, layout, drafts)));
                            }
                        }
                    }
                }
            }
        });
        return shapes;
    }

    /** Returns the distributions of experts over {@code tp} devices and further engines. */
    private List<ExpertLayout> layouts(int tp, int pp) {
        PlanSettings.Search.EngineOptionSearch axes = search().options();
        boolean canShare = settings.model().isMixtureOfExperts() && pp == 1;
        List<Integer> engines = axes.dp();
        if (engines.isEmpty()) {
            engines = canShare ? powers(maxDevices() / tp) : List.of(1);
        }
        List<ExpertLayout> layouts = new ArrayList<>();
        for (int dp : engines) {
            List<Boolean> parallel = axes.expertParallel();
            if (parallel.isEmpty()) {
                parallel = dp > 1 ? List.of(true) : canShare && tp > 1 ? List.of(false, true) : List.of(false);
            }
            for (boolean isExpertParallel : parallel) {
                for (int interval : axes.prefillScheduleInterval()) {
                    layouts.add(new ExpertLayout(dp, isExpertParallel, interval));
                }
            }
        }
        return layouts;
    }

    private List<Drafting> drafting() {
        PlanSettings.Search.EngineOptionSearch axes = search().options();
        int layers = settings.model().shape().mtpLayers().orElse(0);
        Speculation.Method method =
                axes.draftMethod().orElse(layers > 0 ? Speculation.Method.MTP : Speculation.Method.EAGLE3);
        return axes.draftTokens().stream()
                .map(count -> count == 0 ? Drafting.NONE : new Drafting(method, count, axes.draftAcceptance()))
                .toList();
    }

    /** Returns the maximum number of tokens per step over all deployments. */
    int maxTokens() {
        return Collections.max(search().maxNumBatchedTokens());
    }

    /** Returns the batch limits of a shape that a scheduler accepts. */
    List<EngineChoice> limits(Shape shape) {
        List<EngineChoice> all = new ArrayList<>();
        for (int tokens : search().maxNumBatchedTokens()) {
            for (int seqs : search().maxNumSeqs()) {
                if (seqs <= tokens) {
                    all.add(new EngineChoice(shape, seqs, tokens));
                }
            }
        }
        return all;
    }
}
