package dev.stagesim.sim.serving;

import dev.stagesim.sim.serving.ServingOutcome.WaveFigures;
import java.util.stream.IntStream;

/**
 * Groups of engines that share experts, and so run every step together: an engine without requests runs a dummy.
 *
 * <p>The first request after a pause begins a wave on all engines of its group. In every 32nd step they ask each other whether
 * anybody has a request left, and pause when nobody has; so up to 31 steps of dummies follow the last request. Each engine
 * plans as many steps ahead as it does by itself.
 */
final class Waves {
    /** Steps from one question to the next. */
    private static final int ROUND = 32;

    private final int size;
    private final int prefillInterval;
    private final BatchPolicy[] engines;
    private final long[] planned; // steps of each engine
    private final long[] ended;
    /** Requests that an engine has not seen yet, having planned its last step before they came. */
    private final int[] unseen;

    /** By group: whether it runs, steps planned before the wave, and the last step with a request in it. */
    private final boolean[] isRunning;

    private final long[] before;
    private final long[] lastWork;
    private long waves;
    private long steps;
    private long dummies;
    private double stepSeconds;
    private double waitSeconds;

    Waves(int size, int prefillInterval, BatchPolicy[] engines) {
        this.size = size;
        this.prefillInterval = prefillInterval;
        this.engines = engines;
        planned = new long[engines.length];
        ended = new long[engines.length];
        unseen = new int[engines.length];
        isRunning = new boolean[engines.length / size];
        before = new long[isRunning.length];
        lastWork = new long[isRunning.length];
    }

    /** The engines of the group of an engine. */
    IntStream group(int engine) {
        int first = engine - engine % size;
        return IntStream.range(first, first + size);
    }

    void arrived(int engine) {
        unseen[engine]++;
    }

    /** Begins a wave when an engine of a paused group has a request; returns whether it did. */
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

    /** Whether an engine plans another step now. */
    boolean plans(int engine) {
        return isRunning[engine / size] && planned[engine] < endedByAll(engine) + engines[engine].depth();
    }

    /** Whether the next step of an engine is none of those of a wave that begin prompts. */
    boolean putsOffPrompts(int engine) {
        return (planned[engine] - before[engine / size]) % prefillInterval != 0;
    }

    private long endedByAll(int engine) {
        return group(engine).mapToLong(each -> ended[each]).min().orElseThrow();
    }

    /** An engine has planned a step. */
    void planned(int engine, boolean isDummy) {
        planned[engine]++;
        unseen[engine] = 0;
        if (!isDummy) {
            lastWork[engine / size] = Math.max(lastWork[engine / size], planned[engine]);
        }
    }

    /** A step begins on all engines of a group. */
    void started(Batch[] batches, double seconds, double waits) {
        steps++;
        waitSeconds += waits;
        for (Batch batch : batches) {
            dummies += batch.size == 0 ? 1 : 0;
            stepSeconds += batch.size == 0 ? 0 : seconds;
        }
    }

    /** An engine has ended a step; whether it was the last of its group to do so. */
    boolean ended(int engine) {
        long number = ++ended[engine];
        if (endedByAll(engine) < number) {
            return false;
        }
        int of = engine / size;
        long last = number + engines[engine].depth() - 1;
        if (isRunning[of] && last > before[of] && (last - before[of]) % ROUND == 0) {
            // engines whose requests cannot run would go on for ever
            isRunning[of] = lastWork[of] > last - ROUND
                    && group(engine).anyMatch(each -> engines[each].outstanding() > unseen[each]);
            if (!isRunning[of] && group(engine).anyMatch(each -> unseen[each] > 0)) {
                begin(engine);
            }
        }
        return true;
    }

    WaveFigures figures() {
        return new WaveFigures(waves, steps, dummies, stepSeconds, waitSeconds);
    }
}
