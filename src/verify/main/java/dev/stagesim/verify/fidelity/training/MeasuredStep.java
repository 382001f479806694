package dev.stagesim.verify.fidelity.training;

import dev.stagesim.sim.training.Architecture;
import dev.stagesim.sim.training.Layout;
import dev.stagesim.sim.training.MemoryModel;
import dev.stagesim.sim.training.StepEstimate;
import dev.stagesim.sim.training.StepEstimator;
import dev.stagesim.sim.training.Strategy;
import dev.stagesim.sim.training.TrainingJob;
import dev.stagesim.sim.training.TrainingMachine;
import java.util.OptionalDouble;

/**
 * A published training step, and its prediction.
 *
 * @param id name of the row
 * @param source publisher
 * @param group source and model
 * @param model architecture
 * @param machine device and links
 * @param job training job
 * @param strategy parallelism
 * @param layout layers of the stages
 * @param seconds measured step time, if published
 * @param memoryBytes measured memory, if published
 * @param isOfTensors true if {@code memoryBytes} counts tensors only, false if a system tool reported it
 */
record MeasuredStep(
        String id,
        String source,
        String group,
        Architecture model,
        TrainingMachine machine,
        TrainingJob job,
        Strategy strategy,
        Layout layout,
        OptionalDouble seconds,
        OptionalDouble memoryBytes,
        boolean isOfTensors) {
    /** Returns the predicted step. */
    StepEstimate predict() {
        return new StepEstimator(model, machine, job).estimate(strategy, layout);
    }

    /** Returns the maximum predicted memory of a rank. A system tool also counts reserved memory. */
    double predictMemory() {
        double tensors = new MemoryModel(model, job).fullest(strategy, layout).total();
        return isOfTensors ? tensors : tensors + machine.reserve();
    }
}
