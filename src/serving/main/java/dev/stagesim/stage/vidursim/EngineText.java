package dev.stagesim.stage.vidursim;

import dev.stagesim.model.KeyNames;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.serving.EngineDocument;
import dev.stagesim.sim.kernels.ContextSharding;
import dev.stagesim.sim.serving.WaveCounters;
import dev.stagesim.sim.serving.replica.EngineCounters;
import dev.stagesim.sim.serving.settings.SglangSettings;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSpec;

/** Describes the engine, its limits, and the statistics of its cache and drafts. */
record EngineText(SchedulerSpec scheduler, MemoryPlan plan) {
    private static final double MIB = 1024.0 * 1024;

    /** Returns the name of the engine, or of the policy. */
    String name() {
        return ConditionText.engineName(scheduler);
    }

    /** Returns the setting that limits the number of running requests. */
    String requestLimit() {
        if (scheduler instanceof SchedulerSpec.Sglang engine) {
            return "max_running_requests=" + engine.maxRunning(plan);
        }
        String key = scheduler instanceof SchedulerSpec.VllmV1 ? "max_num_seqs=" : "batch_size_cap=";
        return key + scheduler.limits().batchSizeCap();
    }

    /** Returns a sentence for an engine with a prefix cache. */
    String sentence(EngineCounters figures) {
        StringBuilder text = new StringBuilder(limits());
        if (figures.lookupTokens() > 0 && caches()) {
            text.append("; the prefix cache contained ")
                    .append(Numbers.fixed(100 * figures.hitRate(), 1))
                    .append(" % of the ")
                    .append(Numbers.count(figures.lookupTokens()))
                    .append(" requested prompt tokens");
        }
        boolean retracts = scheduler instanceof SchedulerSpec.Sglang;
        text.append("; ").append(Numbers.count(figures.preemptions()));
        text.append(retracts ? " retractions" : " preemptions");
        if (figures.draftTokens() > 0) {
            text.append("; ")
                    .append(Numbers.count(figures.acceptedTokens()))
                    .append(" of ")
                    .append(Numbers.count(figures.draftTokens()))
                    .append(" drafts accepted");
        }
        if (scheduler instanceof SchedulerSpec.VllmV1 engine) {
            text.append(adapters(engine, figures)).append(groups(engine)).append(context(engine.contextSharding()));
        }
        return text.append('.').toString();
    }

    /** Returns a sentence for engines that share experts. */
    static String waves(WaveCounters of) {
        return "Engines that share experts ran " + Numbers.count(of.steps()) + " steps together in "
                + Numbers.count(of.waves()) + (of.waves() == 1 ? " wave" : " waves") + ", "
                + Numbers.count(of.dummies()) + " engine steps with a dummy batch; "
                + Numbers.fixed(100 * of.waitSeconds() / Math.max(of.stepSeconds(), Double.MIN_NORMAL), 1)
                + " % of the step time of engines with requests was waiting for slower engines.";
    }

    private boolean caches() {
        return !(scheduler instanceof SchedulerSpec.VllmV1 vllm && !vllm.cachesPrefixes())
                && !(scheduler instanceof SchedulerSpec.Sglang sglang
                        && !sglang.settings().radixCache());
    }

    private static String adapters(SchedulerSpec.VllmV1 engine, EngineCounters figures) {
        SchedulerSpec.Lora lora = engine.lora();
        return lora.slots() == 0
                ? ""
                : "; " + Numbers.count(figures.adapterLoads()) + " loads into "
                        + Numbers.count(lora.slots()) + " adapter slots of "
                        + Numbers.significant(lora.slotBytes() / MIB, 3) + " MiB";
    }

    private static String groups(SchedulerSpec.VllmV1 engine) {
        return engine.layers().isEmpty() ? "" : "; the layers share blocks in groups: " + EngineDocument.groups(engine);
    }

    private static String context(ContextSharding context) {
        return context.ranks() == 1
                ? ""
                : "; the context of a sequence is sharded over " + context.ranks() + " devices"
                        + (context.prefill() == 1
                                ? ""
                                : ", and " + context.prefill() + " tensor-parallel groups share its prefill");
    }

    private String limits() {
        if (scheduler instanceof SchedulerSpec.VllmV1 engine) {
            return name() + " with at most " + Numbers.count(engine.limits().batchSizeCap()) + " requests and "
                    + Numbers.count(engine.settings().tokens().batched()) + " tokens in a step, steps planned "
                    + planned(engine.settings().asyncScheduling()) + (engine.ordersByPriority() ? ", by priority" : "")
                    + (engine.cachesPrefixes() ? "" : "; no prefix cache");
        } else if (scheduler instanceof SchedulerSpec.Sglang engine) {
            SglangSettings settings = engine.settings();
            return name() + " with at most " + Numbers.count(engine.maxRunning(plan)) + " running requests and "
                    + engine.tokenLimit() + ", queue in the order "
                    + KeyNames.constant(settings.order())
                    + ", steps planned " + planned(settings.overlap())
                    + (settings.radixCache() ? "" : "; no prefix cache");
        }
        return name();
    }

    private static String planned(boolean isAhead) {
        return isAhead ? "before the previous result is available" : "after the previous result";
    }
}
