package dev.stagesim.sim.serving;

import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.BatchPolicy;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Groups of engines that share experts and therefore run every step together: an engine without requests runs a dummy step.
 *
 * <p>The first request after a pause starts a wave on all engines of its group. At an interval of steps, the engines of
 * vLLM check whether any of them has a request, and pause if none has, so dummy steps follow the last request. Engines of
 * SGLang check before every step. Each engine plans as many steps in advance as an independent engine.
 */
final class DataParallelWaves {
    private final int size;
    private final int prefillInterval;

    /** Rules of vLLM, or null for SGLang, which exchanges state before every step. */
    private final @Nullable VllmRules rules;

    private final BatchPolicy[] engines;
    private final long[] planned; // number of steps per engine
    private final long[] ended;
    /** Requests that an engine has not seen yet because it planned its last step before they arrived. */
    private final int[] unseen;

    /** By group: whether it runs, the number of steps before the wave, and the last step with a request. */
    private final boolean[] isRunning;

    private final long[] before;
    private final long[] lastWork;
    private long waves;
    private long steps;
    private long dummies;
    private double stepSeconds;
    private double waitSeconds;

    static DataParallelWaves of(ServingSpec spec, BatchPolicy[] engines) {
        ClusterSpec cluster = spec.cluster();
        VllmRules rules = spec.scheduler() instanceof SchedulerSpec.VllmV1 engine
                ? engine.settings().rules()
                : null;
        return new DataParallelWaves(cluster.lockStep(), cluster.prefillInterval(), rules, engines);
    }

    private DataParallelWaves(int size, int prefillInterval, @Nullable VllmRules rules, BatchPolicy[] engines) {
        this.size = size;
        this.rules = rules;
        this.prefillInterval = prefillInterval;
        this.engines = engines;
        planned = new long[engines.length];
        ended = new long[engines.length];
        unseen = new int[engines.length];
        isRunning = new boolean[engines.length / size];
        before = new long[isRunning.length];
        lastWork = new long[isRunning.length];
    }

    /** Returns the engines in the group of an engine. */
    IntStream group(int engine) {
        int first = engine - engine % size;
        return IntStream.range(first, first + size);
    }

    void arrived(int engine) {
        unseen[engine]++;
    }

    /** Starts a wave if an engine of a paused group has a request. Returns true if it did. */
    boolean begins(int engine) {
        boolean begins = !isRunning[engine / size] && group(engine).anyMatch(each -> engines[each].outstanding() > 0);
        if (begins) {
            begin(engine);
        }
        return begins;
    }

    private void begin(int engine) {
        int of = engine / size;
        isRunning[of] = true;
        waves++;
        before[of] = planned[engine];
        lastWork[of] = planned[engine];
    }

    /** Returns true if an engine can plan another step now. */
    boolean plans(int engine) {
        return isRunning[engine / size] && planned[engine] < endedByAll(engine) + engines[engine].depth();
    }

    /** Returns true if the next step of an engine may not start prompts. */
    boolean defersPrefills(int engine) {
        return (planned[engine] - before[engine / size]) % prefillInterval != 0;
    }

    private long endedByAll(int engine) {
        return group(engine).mapToLong(each -> ended[each]).min().orElseThrow();
    }

    /** Counts a planned step of an engine. */
    void planned(int engine, boolean isDummy) {
        planned[engine]++;
        unseen[engine] = 0;
        if (!isDummy) {
            lastWork[engine / size] = Math.max(lastWork[engine / size], planned[engine]);
        }
    }

    /** Returns true if a step without requests takes no time: SGLang runs idle batches only while another engine has a batch. */
    boolean skips(Batch[] batches) {
        return rules == null && Arrays.stream(batches).allMatch(batch -> batch.size == 0);
    }

    /** Counts a step that starts on all engines of a group. */
    void started(Batch[] batches, double seconds, double waits) {
        steps++;
        waitSeconds += waits;
        for (Batch batch : batches) {
            dummies += batch.size == 0 ? 1 : 0;
            stepSeconds += batch.size == 0 ? 0 : seconds;
        }
    }

    /** Counts the end of a step of an engine. Returns true if it was the last engine of its group. */
    boolean ended(int engine) {
        long number = ++ended[engine];
        if (endedByAll(engine) < number) {
            return false;
        }
        int of = engine / size;
        if (rules == null) {
            // engines with requests that cannot run would continue forever
            isRunning[of] =
                    lastWork[of] >= number - 1 && group(engine).anyMatch(each -> engines[each].outstanding() > 0);
            return true;
        }
        long last = number + engines[engine].depth() - 1;
        if (isRunning[of] && rules.syncsInStep(last - before[of])) {
            // engines with requests that cannot run would continue forever
            isRunning[of] = lastWork[of] > last - rules.stepsPerDataParallelSync()
                    && group(engine).anyMatch(each -> engines[each].outstanding() > unseen[each]);
            if (!isRunning[of] && group(engine).anyMatch(each -> unseen[each] > 0)) {
                begin(engine);
            }
        }
        return true;
    }

    WaveCounters figures() {
        return new WaveCounters(waves, steps, dummies, stepSeconds, waitSeconds);
    }
}
