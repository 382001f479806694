package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Everything the simulator needs to know besides the requests and the operator times.
 *
 * @param model model shape
 * @param footprint size of the model; empty to count it from the shape
 * @param cluster machines
 * @param scheduler replica scheduler
 * @param timing step time model
 * @param maxTokens longest sequence the memory planner reserves for
 * @param timeLimitSeconds the first event later than this is the last; 0 for none
 * @param accidents what is done as the reference does it by accident, see {@code specs/serving.md}
 */
public record ServingSpec(
        ModelShape model,
        Optional<Footprint> footprint,
        ClusterSpec cluster,
        SchedulerSpec scheduler,
        TimingSpec timing,
        int maxTokens,
        double timeLimitSeconds,
        Set<Accident> accidents) {
    private static final int REFERENCE_TILE = 8;

    public ServingSpec {
        accidents = accidents.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(accidents));
        List<Problem> problems = new ArrayList<>();
        divides(problems, "query heads", model.queryHeads(), "tensor_parallel_size", cluster.tensorParallel());
        divides(problems, "embedding width", model.embedding(), "tensor_parallel_size", cluster.tensorParallel());
        divides(problems, "layers", model.layers(), "num_pipeline_stages", cluster.pipelineStages());
        scheduler.check(cluster, problems);
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
    }

    /** The same on other machines. */
    public ServingSpec with(ClusterSpec machines) {
        return new ServingSpec(model, footprint, machines, scheduler, timing, maxTokens, timeLimitSeconds, accidents);
    }

    private static void divides(List<Problem> problems, String what, int total, String key, int parts) {
        if (parts < 1 || total % parts != 0) {
            problems.add(Problem.config(
                    "cluster." + key,
                    "is " + parts + ", which does not divide the model's " + what + " (" + total + ")"));
        }
    }

    /** Weights on one device. */
    long parametersPerDevice() {
        int devices = cluster.tensorParallel() * cluster.pipelineStages();
        return footprint
                .map(size -> (size.parameters() + devices - 1) / devices)
                .orElseGet(() -> model.parametersPerLayer(cluster.tensorParallel()) * layersPerStage());
    }

    /** Bytes of the weights on one device; two each where only the shape is known. */
    public long weightBytesPerDevice() {
        int devices = cluster.tensorParallel() * cluster.pipelineStages();
        return footprint
                .map(size -> (size.weightBytes() + devices - 1) / devices)
                .orElseGet(() -> 2 * parametersPerDevice());
    }

    /** Weights on one device that a token uses. */
    long activeParametersPerDevice() {
        int devices = cluster.tensorParallel() * cluster.pipelineStages();
        return footprint
                .map(size -> (size.activeParameters() + devices - 1) / devices)
                .orElseGet(this::parametersPerDevice);
    }

    /** KV bytes of one token on all devices of a replica, with the copies that several devices hold. */
    public double heldKvBytesPerToken() {
        int devices = cluster.pipelineStages()
                * cluster.tensorParallel()
                * scheduler.contextSharding().prefill();
        return kvBytesPerToken(layersPerStage()) * devices;
    }

    /** KV bytes of one token on one device, over {@code layers} layers, on average. */
    double kvBytesPerToken(int layers) {
        int heads = model.kvHeadsPerDevice(cluster.tensorParallel());
        double whole = footprint
                .map(size -> (double) size.kvBytesPerToken()
                        * layers
                        / model.layers()
                        * (size.kvSharded() ? (double) heads / model.kvHeads() : 1))
                .orElseGet(() -> 4.0 * model.headDim() * heads * layers);
        return whole / scheduler.contextSharding().ranks();
    }

    /** Token counts that operators are asked at are multiples of this: the tile that the reference assumes of kernels. */
    int tileTokens() {
        return has(Accident.TILES) ? REFERENCE_TILE : 1;
    }

    /** Whether figures are told in the reference's way. */
    public boolean quirks() {
        return !accidents.isEmpty();
    }

    boolean has(Accident accident) {
        return accidents.contains(accident);
    }

    int layersPerStage() {
        return model.layers() / cluster.pipelineStages();
    }
}
