package dev.stagesim.sim.serving.policy;

import java.util.Arrays;

/**
 * Keeps data-parallel engines of a mixture of experts in step: while a wave lasts every engine runs each step, with a dummy
 * batch when it has no work.
 *
 * <p>Whether anybody still has work is asked in every 32nd step only, so a wave goes on for up to 31 dummy steps.
 */
public final class DataParallelWaves {
    /** What an engine does in a step. */
    public enum Turn {
        /** It runs its own batch. */
        BATCH,
        /** It runs a batch without requests so that the others can go on. */
        DUMMY,
        /** It waits for requests. */
        IDLE
    }

    private static final int ASK_EVERY = 32;

    private final int prefillInterval;
    private boolean isRunning;
    private long wave;
    private long steps;

    /** @param prefillInterval steps of which only the first admits prompts while others decode, 1 for all */
    public DataParallelWaves(int prefillInterval) {
        this.prefillInterval = prefillInterval;
    }

    public boolean isRunning() {
        return isRunning;
    }

    public long wave() {
        return wave;
    }

    /** A request arrived; all engines start if they were paused. */
    public void request() {
        isRunning = true;
    }

    /** Whether prompt work is put off in the coming step. */
    public boolean throttles() {
        return prefillInterval > 1 && steps % prefillInterval != 0;
    }

    /** What an engine does in the coming step, given whether it has something to run. */
    public Turn turn(boolean hasBatch) {
        if (hasBatch) {
            return Turn.BATCH;
        }
        return isRunning ? Turn.DUMMY : Turn.IDLE;
    }

    /** Ends a step of all engines. {@code anyUnfinished} is only looked at when it is asked for. */
    public void stepped(boolean anyUnfinished) {
        steps++;
        if (isRunning && steps % ASK_EVERY == 0 && !anyUnfinished) {
            isRunning = false;
            wave++;
            steps = 0;
        }
    }

    /**
     * Tokens that every rank runs, when the ranks would use these graphs by themselves: the most tokens of any if all use
     * graphs, else what each has, since one rank without a graph makes all run without.
     */
    public static int[] pad(GraphCapture.Graph[] graphs, int[] tokens) {
        int most = 0;
        for (GraphCapture.Graph graph : graphs) {
            if (graph.kind() == GraphCapture.Kind.NONE) {
                return tokens.clone();
            }
            most = Math.max(most, graph.tokens());
        }
        int[] padded = new int[tokens.length];
        Arrays.fill(padded, most);
        return padded;
    }
}
