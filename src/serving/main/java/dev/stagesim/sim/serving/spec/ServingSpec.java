package dev.stagesim.sim.serving.spec;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The inputs of the simulator other than the requests and the operator times.
 *
 * @param model model shape
 * @param footprint size of the model; empty to compute it from the shape
 * @param cluster devices
 * @param scheduler replica scheduler
 * @param timing step time model
 * @param maxTokens maximum sequence length of the memory plan
 * @param timeLimitSeconds the first event after this time is the last one; 0 for no limit
 * @param accidents reproduced bugs of Vidur, see {@code specs/serving.md}
 */
public record ServingSpec(
        ModelShape model,
        Optional<Footprint> footprint,
        ClusterSpec cluster,
        SchedulerSpec scheduler,
        TimingSpec timing,
        int maxTokens,
        double timeLimitSeconds,
        Set<VidurQuirk> accidents) {
    private static final int REFERENCE_TILE = 8;

    public ServingSpec {
        accidents = accidents.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(accidents));
        List<Problem> problems = new ArrayList<>();
        divides(problems, "query heads", model.queryHeads(), "tensor_parallel_size", cluster.tensorParallel());
        divides(problems, "embedding width", model.embedding(), "tensor_parallel_size", cluster.tensorParallel());
        if (scheduler.requiresEqualStages()) {
            divides(problems, "layers", model.layers(), "num_pipeline_stages", cluster.pipelineStages());
        } else if (scheduler instanceof SchedulerSpec.VllmV1
                && (cluster.pipelineStages() < 1 || cluster.pipelineStages() > model.layers())) {
            problems.add(Problem.config(
                    "cluster.num_pipeline_stages",
                    "is " + cluster.pipelineStages() + ", and the model has " + model.layers() + " layers"));
        }
        scheduler.check(cluster, problems);
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
    }

    /** Returns a copy for other devices. */
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

    /** Returns the weights on one device of the largest pipeline stage. */
    long parametersPerDevice() {
        return footprint
                .map(size -> perDevice(size.parameters()))
                .orElseGet(() -> model.parametersPerLayer(cluster.tensorParallel()) * layersPerStage());
    }

    private long perDevice(long ofModel) {
        int stages = cluster.pipelineStages();
        long ofStages = isUneven() ? ofModel / model.layers() * layersPerStage() * stages : ofModel;
        int devices = cluster.tensorParallel() * stages;
        return (ofStages + devices - 1) / devices;
    }

    /**
     * Returns the bytes of the weights on one device of the largest pipeline stage; two bytes per weight if the card has no
     * size.
     */
    public long weightBytesPerDevice() {
        return footprint.map(size -> perDevice(size.weightBytes())).orElseGet(() -> 2 * parametersPerDevice());
    }

    /** Returns the weights on one device that a token uses. */
    public long activeParametersPerDevice() {
        return footprint.map(size -> perDevice(size.activeParameters())).orElseGet(this::parametersPerDevice);
    }

    /** Returns the KV bytes of one token on all devices of a replica, including replicated heads. */
    public double heldKvBytesPerToken() {
        int devices = cluster.pipelineStages()
                * cluster.tensorParallel()
                * scheduler.contextSharding().prefill();
        return kvBytesPerToken(layersPerStage()) * devices;
    }

    /** Returns the mean KV bytes of one token on one device over {@code layers} layers. */
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

    /** Returns the granularity of token counts for operator times: the tile size that the reference assumes for kernels. */
    public int tileTokens() {
        return has(VidurQuirk.TILES) ? REFERENCE_TILE : 1;
    }

    /** Returns true if any bug of the reference is reproduced. */
    public boolean quirks() {
        return !accidents.isEmpty();
    }

    public boolean has(VidurQuirk accident) {
        return accidents.contains(accident);
    }

    /** Returns the layers of the largest pipeline stage, which sets the rate of the pipeline; all stages count as such. */
    public int layersPerStage() {
        return (model.layers() + cluster.pipelineStages() - 1) / cluster.pipelineStages();
    }

    /** Returns true if pipeline stages have different numbers of layers. */
    public boolean isUneven() {
        return model.layers() % cluster.pipelineStages() != 0;
    }
}
