package dev.stagesim.stage.fabric;

import dev.stagesim.settings.SearchSettings;
import dev.stagesim.settings.TargetSettings;
import dev.stagesim.sim.serving.SchedulerSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The candidates of a search: targets by parallelism by scheduler and batch by load. */
record SearchSpace(SearchSettings settings, Map<String, TargetSettings> targets) {
    private static final int BLOCK = 16;
    private static final double WATERMARK = 0.01;
    private static final int LEAST_PROMPT_BATCH = 4096;

    record Serving(Deployment deployment, double load) {}

    /** A candidate that trains. */
    record Training(Deployment deployment, int nodes, int microbatch) {}

    List<Serving> serving(int longestPrompt) {
        List<Serving> all = new ArrayList<>();
        targets.forEach((id, target) -> {
            for (int tp : settings.tensorParallelSizes()) {
                for (int pp : settings.pipelineStages()) {
                    for (SchedulerSpec scheduler : schedulers(pp, longestPrompt)) {
                        for (double load : settings.loads()) {
                            all.add(new Serving(new Deployment(id, target, tp, pp, scheduler), load));
                        }
                    }
                }
            }
        });
        return all;
    }

    List<Training> training(SchedulerSpec unused) {
        List<Training> all = new ArrayList<>();
        targets.forEach((id, target) -> {
            for (int tp : settings.tensorParallelSizes()) {
                for (int pp : settings.pipelineStages()) {
                    for (int nodes : settings.trainingNodes()) {
                        for (int microbatch : settings.microbatches()) {
                            all.add(new Training(new Deployment(id, target, tp, pp, unused), nodes, microbatch));
                        }
                    }
                }
            }
        });
        return all;
    }

    private List<SchedulerSpec> schedulers(int pp, int longestPrompt) {
        List<SchedulerSpec> all = new ArrayList<>();
        for (int batch : settings.batchSizes()) {
            SchedulerSpec.Limits limits = new SchedulerSpec.Limits(Math.max(batch, pp), BLOCK, WATERMARK, 0);
            for (SearchSettings.Policy policy : settings.schedulers()) {
                switch (policy) {
                    case VLLM -> all.add(new SchedulerSpec.Vllm(limits, Math.max(LEAST_PROMPT_BATCH, longestPrompt)));
                    case SARATHI ->
                        settings.chunkSizes().forEach(chunk -> all.add(new SchedulerSpec.Sarathi(limits, chunk)));
                }
            }
        }
        return all;
    }
}
