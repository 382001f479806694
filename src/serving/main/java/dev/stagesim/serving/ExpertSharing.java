package dev.stagesim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.LayerGroup;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.sim.serving.spec.Footprint;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import java.util.ArrayList;
import java.util.List;

/** Distribution of a model's experts over the engines of a replica, with checks of the model and its devices. */
final class ExpertSharing {
    private static final String ENGINES = "scheduler.data_parallel_size";
    private static final int MAX_ENGINES = 1 << 20;

    private ExpertSharing() {}

    /** Returns true if experts are distributed differently from the other layers of an engine. */
    static boolean isSpread(SchedulerSettings scheduler, ModelCard model) {
        return model.isMixtureOfExperts() && (scheduler.dataParallelSize() > 1 || scheduler.enableExpertParallel());
    }

    /** Returns true if engines send tokens to the devices of their experts. */
    static boolean sendsTokens(SchedulerSettings scheduler, ModelCard model) {
        return model.isMixtureOfExperts() && scheduler.dataParallelSize() > 1 && scheduler.enableExpertParallel();
    }

    /** Returns the sharding of a model over the devices of a replica; engines of a dense model share nothing. */
    static Sharding of(SchedulerSettings scheduler, ModelCard model, int tensor, int stages) {
        if (!isSpread(scheduler, model)) {
            return Sharding.tensor(tensor, stages);
        }
        int devices = tensor * scheduler.dataParallelSize();
        return scheduler.enableExpertParallel()
                ? new Sharding(tensor, stages, scheduler.dataParallelSize(), 1, devices)
                : new Sharding(tensor, stages, scheduler.dataParallelSize(), devices, 1);
    }

    /** Returns the number of engines in lockstep. */
    static int lockStep(SchedulerSettings scheduler, ModelCard model) {
        return model.isMixtureOfExperts() ? scheduler.dataParallelSize() : 1;
    }

    /** Returns the memory footprint of each of {@code engines} engines: its share of the experts, and all other weights. */
    static Footprint footprint(ModelCard model, int engines) {
        int experts = model.experts().numExperts().orElse(0);
        return engines == 1 || experts == 0
                ? ServingSpecs.footprint(model)
                : footprint(model, (double) experts / engines);
    }

    /**
     * Returns the memory footprint of an engine with {@code storedExperts} routed experts per layer, which can be a fraction on average.
     */
    static Footprint footprint(ModelCard model, double storedExperts) {
        Footprint all = ServingSpecs.footprint(model);
        double elsewhere = (double) ModelSize.expertLayers(model)
                * ModelSize.expert(model)
                * (model.experts().numExperts().orElseThrow() - storedExperts);
        return new Footprint(
                all.parameters() - (long) elsewhere,
                all.activeParameters(),
                all.kvBytesPerToken(),
                all.weightBytes() - Math.round(elsewhere * model.bytes(LayerGroup.EXPERTS)),
                all.kvSharded());
    }

    /**
     * Returns the memory footprint with whole shared experts on each device, if the devices of an engine divide its tokens. vLLM and
     * SGLang with DeepEP disable tensor parallelism for them.
     */
    static Footprint replicated(Footprint divided, ModelCard model, Sharding sharding) {
        int width = model.experts().sharedFfnDim().orElse(0);
        if (width == 0 || !model.isMixtureOfExperts() || !sharding.isSequenceParallel()) {
            return divided;
        }
        double copies = sharding.tensor() - 1.0;
        double bytes = ModelSize.matrices(model, width) * model.bytes(LayerGroup.SHARED_EXPERTS);
        return new Footprint(
                divided.parameters(),
                divided.activeParameters(),
                divided.kvBytesPerToken(),
                divided.weightBytes() + Math.round(copies * ModelSize.expertLayers(model) * bytes),
                divided.kvSharded());
    }

    static void check(SchedulerSettings settings, ModelCard model, HardwareCard hardware, ClusterSettings cluster) {
        List<Problem> problems = new ArrayList<>();
        int engines = settings.dataParallelSize();
        int tensor = cluster.tensorParallelSize();
        if ((long) engines * cluster.replicas() > MAX_ENGINES) {
            problems.add(Problem.config(ENGINES, "makes more than " + MAX_ENGINES + " engines")
                    .hint("lower it or cluster.replicas"));
        }
        int devices = engines * tensor;
        int experts = model.experts().numExperts().orElse(0);
        if (settings.enableExpertParallel() && devices > experts) {
            problems.add(
                    Problem.config(
                                    "scheduler.enable_expert_parallel",
                                    experts == 0
                                            ? "has no effect: " + model.name() + " has no experts"
                                            : "needs an expert for each of " + devices + " devices, and " + model.name()
                                                    + " has " + experts)
                            .hint(
                                    experts == 0
                                            ? "omit it"
                                            : "lower scheduler.data_parallel_size or cluster.tensor_parallel_size, or omit it"));
        }
        if (settings instanceof SchedulerSettings.VllmV1 vllm
                && vllm.engines().prefillScheduleInterval() > 1
                && lockStep(settings, model) == 1
                && !vllm.version().pacesLoneEngines()) {
            problems.add(Problem.config(
                            "scheduler.prefill_schedule_interval",
                            "has no effect: before vLLM 0.33, only engines that share experts and run in lockstep defer"
                                    + " prefills")
                    .hint("set scheduler.version=0.33, set scheduler.data_parallel_size with a mixture of experts, or"
                            + " omit it"));
        }
        if (model.isMixtureOfExperts() && engines > 1) {
            shared(settings, model, new Links(hardware), devices, problems);
        }
        StageException.refuse(problems);
    }

    private static void shared(
            SchedulerSettings settings, ModelCard model, Links links, int devices, List<Problem> problems) {
        int width = model.experts().moeFfnDim().orElseThrow();
        if (!links.canLink(devices)) {
            problems.add(Problem.config(
                            ENGINES,
                            "needs a link between " + devices + " devices; a node has " + links.devicesPerNode())
                    .hint("lower it, or set a network rate: hardware.nic_gbps_per_accel_typ"));
        } else if (!settings.enableExpertParallel() && width % devices != 0) {
            problems.add(Problem.config(
                            ENGINES,
                            "is " + settings.dataParallelSize() + ": every expert of " + model.name()
                                    + " is spread over " + devices + " devices, which does not divide its width, "
                                    + width)
                    .hint("use another number, or set scheduler.enable_expert_parallel=true"));
        }
    }
}
