package dev.stagesim.sim.capacity;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.ModelSize;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.ReachedShares;
import dev.stagesim.predict.Roofline;
import dev.stagesim.predict.RooflineTimes;
import dev.stagesim.sim.serving.ClusterSpec;
import dev.stagesim.sim.serving.Footprint;
import dev.stagesim.sim.serving.GlobalPolicy;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.ModelShape;
import dev.stagesim.sim.serving.SchedulerSpec;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.TimingSpec;
import java.util.Optional;

/**
 * One copy of a model on devices of one kind, and how it forms batches.
 *
 * @param model the model
 * @param device the devices
 * @param shares shares of the device's peaks that kernels reach
 * @param tp devices that share a layer
 * @param pp groups of devices that share the layers
 * @param scheduler how batches are formed
 * @param memoryMargin share of memory that neither weights nor KV cache use
 */
public record ReplicaSpec(
        ModelCard model,
        HardwareCard device,
        ReachedShares shares,
        int tp,
        int pp,
        SchedulerSpec scheduler,
        double memoryMargin) {
    private static final int KV_STEP = 16;

    /** Why the copy cannot run sequences of that many tokens; empty when it can. */
    public Optional<String> misfit(int sequenceTokens) {
        if (model.isLatentAttention()) {
            return Optional.of(model.name() + " has latent attention, which the roofline does not describe");
        }
        if (device.bf16OrFp16Tflops().isEmpty()) {
            return Optional.of(device.name() + " has no 16-bit rate");
        }
        if (!Roofline.splits(model, tp)) {
            return Optional.of("tensor parallel " + tp + " does not divide the model");
        }
        if (model.numLayers() % pp != 0) {
            return Optional.of(pp + " pipeline stages do not divide the layers");
        }
        if (tp > 1 && ReachedShares.linkGbs(device, tp) <= 0) {
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

    ServingSpec spec(int sequenceTokens) {
        ModelSize size = model.size();
        return new ServingSpec(
                new ModelShape(
                        model.numLayers(),
                        model.numHeads(),
                        model.numKvHeads(),
                        model.hiddenSize(),
                        model.headDim(),
                        model.ffnDim(),
                        model.gatedMlp(),
                        model.postAttentionNorm()),
                Optional.of(new Footprint(
                        size.parameters(),
                        size.activeParameters(),
                        size.kvBytesPerToken(),
                        !model.isLatentAttention())),
                new ClusterSpec(
                        1,
                        tp,
                        pp,
                        device.memGb(),
                        device.bf16OrFp16Tflops().orElseThrow(),
                        memoryMargin,
                        GlobalPolicy.ROUND_ROBIN,
                        0),
                scheduler,
                TimingSpec.DEFAULT,
                sequenceTokens,
                0,
                false);
    }

    OperatorTimes times(int sequenceTokens) {
        Roofline roofline = new Roofline(model, shares.rates(device, tp), tp);
        int most = (sequenceTokens / KV_STEP + 1) * KV_STEP;
        int batch = scheduler.limits().batchSizeCap();
        return new RooflineTimes(
                roofline, new OperatorTimes.Coverage(Integer.MAX_VALUE, batch, most, Integer.MAX_VALUE, KV_STEP));
    }
}
