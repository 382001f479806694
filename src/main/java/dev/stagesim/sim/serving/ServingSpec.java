package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;

/**
 * Everything the simulator needs to know besides the requests and the operator times.
 *
 * @param model model shape
 * @param cluster machines
 * @param scheduler replica scheduler
 * @param timing step time model
 * @param maxTokens longest sequence the memory planner reserves for
 * @param timeLimitSeconds the first event later than this is the last; 0 for none
 * @param quirks true to reproduce the reference simulator's accidental behaviours, see {@code specs/serving.md}
 */
public record ServingSpec(
        ModelShape model,
        ClusterSpec cluster,
        SchedulerSpec scheduler,
        TimingSpec timing,
        int maxTokens,
        double timeLimitSeconds,
        boolean quirks) {

    public ServingSpec {
        List<Problem> problems = new ArrayList<>();
        divides(problems, "query heads", model.queryHeads(), "tensor_parallel_size", cluster.tensorParallel());
        divides(problems, "embedding width", model.embedding(), "tensor_parallel_size", cluster.tensorParallel());
        divides(problems, "layers", model.layers(), "num_pipeline_stages", cluster.pipelineStages());
        if (scheduler instanceof SchedulerSpec.LightLlm) {
            if (scheduler.limits().blockSize() != 1) {
                problems.add(Problem.of(
                                "config error",
                                "scheduler.block_size",
                                "is " + scheduler.limits().blockSize()
                                        + ", but the lightllm scheduler counts memory in single tokens")
                        .hint("set scheduler.block_size=1"));
            }
            if (cluster.pipelineStages() != 1) {
                problems.add(Problem.of(
                                "config error",
                                "cluster.num_pipeline_stages",
                                "is " + cluster.pipelineStages() + ", but the lightllm scheduler knows one stage only")
                        .hint("set cluster.num_pipeline_stages=1, or choose another scheduler"));
            }
        }
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
    }

    private static void divides(List<Problem> problems, String what, int total, String key, int parts) {
        if (parts < 1 || total % parts != 0) {
            problems.add(Problem.of(
                    "config error",
                    "cluster." + key,
                    "is " + parts + ", which does not divide the model's " + what + " (" + total + ")"));
        }
    }

    int layersPerStage() {
        return model.layers() / cluster.pipelineStages();
    }
}
