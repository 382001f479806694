package dev.stagesim.verify.fidelity;

import dev.stagesim.sim.training.Architecture;
import dev.stagesim.sim.training.Layout;
import dev.stagesim.sim.training.MemoryModel;
import dev.stagesim.sim.training.StepEstimate;
import dev.stagesim.sim.training.StepModel;
import dev.stagesim.sim.training.Strategy;
import dev.stagesim.sim.training.TrainingJob;
import dev.stagesim.sim.training.TrainingMachine;
import java.util.OptionalDouble;

/**
 * A published training step, and what the model says of it.
 *
 * @param id name of the row
 * @param source who published it
 * @param group source and model
 * @param model architecture
 * @param machine device and links
 * @param job what was trained
 * @param strategy how
 * @param layout layers of the stages
 * @param seconds measured step, where published
 * @param memoryBytes measured memory, where published
 * @param isOfTensors whether that is of tensors alone; else it is what a system tool shows of the device
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
    /** The predicted step. */
    public StepEstimate predict() {
        return new StepModel(model, machine, job).estimate(strategy, layout);
    }

    /** The predicted memory of the fullest rank; a system tool shows what is reserved besides tensors too. */
    public double predictMemory() {
        double tensors = new MemoryModel(model, job).fullest(strategy, layout).total();
        return isOfTensors ? tensors : tensors + machine.reserve();
    }
}
