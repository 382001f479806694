package dev.stagesim.serving;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.StepCard;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.sim.kernels.EngineTimes;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.sim.kernels.StepModel;
import dev.stagesim.sim.serving.Accident;
import dev.stagesim.sim.serving.GlobalPolicy;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.SchedulerSettings;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.TimingSpec;
import java.util.Optional;

/**
 * One copy of a model on devices of one kind, with computed step times.
 *
 * @param device the devices
 * @param engine what the serving engine adds to kernels
 * @param tp devices that share a layer
 * @param pp groups of devices that share the layers
 * @param scheduler how batches are formed
 * @param memoryMargin share of memory that neither weights nor KV cache use; engines have a setting of their own
 */
public record ServedCopy(
        ModelCard model,
        HardwareCard device,
        StepCard engine,
        int tp,
        int pp,
        SchedulerSettings scheduler,
        double memoryMargin) {
    /** Why the copy cannot run sequences of that many tokens; empty when it can. */
    public Optional<String> misfit(int sequenceTokens) {
        if (device.bf16OrFp16Tflops().isEmpty()) {
            return Optional.of(device.name() + " has no 16-bit rate");
        }
        if (!LayerTimes.splits(model, tp)) {
            return Optional.of("tensor parallel " + tp + " does not divide the model");
        }
        if (model.numLayers() % pp != 0) {
            return Optional.of(pp + " pipeline stages do not divide the layers");
        }
        if (tp > 1 && !new Links(device).canLink(tp)) {
            return Optional.of("the devices have no link for tensor parallel " + tp);
        }
        try {
            MemoryPlan.of(spec(sequenceTokens));
        } catch (StageException noRoom) {
            Problem problem = noRoom.problems().get(0);
            return Optional.of(problem.what());
        }
        return Optional.empty();
    }

    /** What the simulator needs to know, for sequences of that many tokens at most. */
    public ServingSpec spec(int sequenceTokens) {
        ClusterSettings cluster = new ClusterSettings(
                1, tp, pp, memoryMargin, Optional.empty(), GlobalPolicy.ROUND_ROBIN, Optional.empty());
        return new ServingSpec(
                ServingSpecs.shape(model),
                Optional.of(ServingSpecs.footprint(model)),
                ServingSpecs.cluster(cluster, device, scheduler, model),
                ServingSpecs.scheduler(scheduler, device, model, cluster, sequenceTokens),
                engine.execution() == StepCard.Execution.NONE ? TimingSpec.DEFAULT : TimingSpec.of(engine),
                sequenceTokens,
                0,
                Accident.NONE);
    }

    /** Times of its steps. */
    public OperatorTimes times(int sequenceTokens) {
        Sharding sharding = Sharding.tensor(tp, pp);
        int most = (sequenceTokens / LayerTimes.KV_STEP + 1) * LayerTimes.KV_STEP;
        LayerTimes layers = new LayerTimes(model, device, engine, sharding, most);
        return engine.execution() == StepCard.Execution.NONE
                ? layers
                : new EngineTimes(layers, new StepModel(model, device.hostClass(), engine, sharding, layers));
    }
}
