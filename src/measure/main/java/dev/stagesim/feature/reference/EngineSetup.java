package dev.stagesim.feature.reference;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.model.Problem;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.ServingSpecs;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Creates the parts of the reference engine from settings. */
final class EngineSetup {
    private EngineSetup() {}

    /** Creates the engine of a model. */
    static ReferenceEngine engine(ModelCard model, EngineSettings settings) {
        return new ReferenceEngine(EngineShape.of(model), settings.seed());
    }

    /** Returns a factory of clocks. A clock starts when it is created. */
    static Supplier<EngineClock> clocks(EngineSettings settings) {
        return settings.clock() == EngineSettings.Clock.PROCESSOR ? EngineClock::processor : EngineClock::monotonic;
    }

    /** Returns the minimum duration of the warm-up in ns. */
    static long warmUpNs(EngineSettings settings) {
        return Math.round(settings.warmUp() * NS_PER_S);
    }

    /** Returns the problems of cluster settings: the engine is one replica on one device. */
    static List<Problem> problems(ClusterSettings cluster) {
        List<Problem> problems = new ArrayList<>();
        requireOne(problems, "replicas", cluster.replicas());
        requireOne(problems, "tensor_parallel_size", cluster.tensorParallelSize());
        requireOne(problems, "num_pipeline_stages", cluster.numPipelineStages());
        return problems;
    }

    private static void requireOne(List<Problem> problems, String key, int value) {
        if (value != 1) {
            problems.add(Problem.config(
                            "cluster." + key, "is " + value + ", but the built-in engine is one replica on one device")
                    .hint("set cluster." + key + "=1"));
        }
    }

    /**
     * Returns the scheduler and memory of the engine, which equal those of a simulation with the same settings.
     *
     * @param maxTokens tokens of the longest request
     */
    static ServingSpec spec(
            ModelCard model,
            HardwareCard hardware,
            ClusterSettings cluster,
            SchedulerSettings scheduler,
            int maxTokens) {
        return new ServingSpec(
                ServingSpecs.shape(model),
                Optional.of(ServingSpecs.footprint(model)),
                ServingSpecs.cluster(cluster, hardware, scheduler, model),
                scheduler.spec(),
                TimingSpec.DEFAULT,
                maxTokens,
                0,
                VidurQuirk.NONE);
    }
}
