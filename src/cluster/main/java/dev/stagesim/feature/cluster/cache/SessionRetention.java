package dev.stagesim.feature.cluster.cache;

import dev.stagesim.sim.serving.memory.CacheRetention;
import java.util.function.DoubleSupplier;

/** Retains the cached blocks of unfinished sessions in one engine, and records how many are retained. */
public final class SessionRetention implements CacheRetention {
    private final boolean[] hasLaterTurn;
    private final double seconds;
    private DoubleSupplier clock = () -> 0;
    private int retainedBlocks;
    private double since;

    /**
     * Maximum retained blocks, their integral over time in block-seconds, and cache hits that retention made possible.
     */
    public int peakBlocks;

    public double blockSeconds;
    public long saved;

    /** Creates a policy. {@code hasLaterTurn} is true for requests with a later turn. */
    public SessionRetention(boolean[] hasLaterTurn, double seconds) {
        this.hasLaterTurn = hasLaterTurn;
        this.seconds = seconds;
    }

    /** Sets the clock of a new engine with an empty cache. */
    public void begin(DoubleSupplier time) {
        clock = time;
    }

    /** Records that the engine lost its cache. */
    public void clear(double now) {
        account(now, 0);
    }

    @Override
    public double now() {
        return clock.getAsDouble();
    }

    @Override
    public double until(int place) {
        return hasLaterTurn[place >> 1] ? now() + seconds : 0;
    }

    @Override
    public void held(int blocks) {
        account(now(), blocks);
    }

    private void account(double now, int blocks) {
        blockSeconds += retainedBlocks * Math.max(0, now - since);
        since = Math.max(since, now);
        retainedBlocks = blocks;
        peakBlocks = Math.max(peakBlocks, blocks);
    }

    @Override
    public void saved() {
        saved++;
    }
}
