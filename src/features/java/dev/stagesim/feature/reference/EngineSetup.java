package dev.stagesim.feature.reference;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import dev.stagesim.serving.ServingSpecs;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.EngineSettings;
import dev.stagesim.sim.serving.Accident;
import dev.stagesim.sim.serving.SchedulerSettings;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.TimingSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Turns settings into the built-in engine's own terms. */
public final class EngineSetup {
    private EngineSetup() {}

    /** The engine of a model. */
    public static ReferenceEngine engine(ModelCard model, EngineSettings settings) {
        return new ReferenceEngine(EngineShape.of(model), settings.seed());
    }

    /** Makes a clock that begins when it is made. */
    public static Supplier<Pace> pace(EngineSettings settings) {
        return settings.clock() == EngineSettings.Clock.PROCESSOR ? Pace::processor : Pace::monotonic;
    }

    /** Least warm-up in ns. */
    public static long warmUpNs(EngineSettings settings) {
        return Math.round(settings.warmUp() * NS_PER_S);
    }

    /** Cluster settings the built-in engine does not support: it is one replica on one device. */
    public static List<Problem> problems(ClusterSettings cluster) {
        List<Problem> problems = new ArrayList<>();
        one(problems, "replicas", cluster.replicas());
        one(problems, "tensor_parallel_size", cluster.tensorParallelSize());
        one(problems, "num_pipeline_stages", cluster.numPipelineStages());
        return problems;
    }

    private static void one(List<Problem> problems, String key, int value) {
        if (value != 1) {
            problems.add(Problem.config(
                            "cluster." + key, "is " + value + ", but the built-in engine is one replica on one device")
                    .hint("set cluster." + key + "=1"));
        }
    }

    /**
     * The scheduler and the memory that the engine serves with: those of a simulation of the same settings.
     *
     * @param longest tokens of the longest request
     */
    public static ServingSpec spec(
            ModelCard model, HardwareCard hardware, ClusterSettings cluster, SchedulerSettings scheduler, int longest) {
        return new ServingSpec(
                ServingSpecs.shape(model),
                Optional.of(ServingSpecs.footprint(model)),
                ServingSpecs.cluster(cluster, hardware, scheduler, model),
                scheduler.spec(),
                TimingSpec.DEFAULT,
                longest,
                0,
                Accident.NONE);
    }
}
