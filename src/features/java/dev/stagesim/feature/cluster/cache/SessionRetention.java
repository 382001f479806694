package dev.stagesim.feature.cluster.cache;

import dev.stagesim.sim.serving.memory.CacheRetention;
import java.util.function.DoubleSupplier;

/** Keeps what conversations with turns to come leave in the cache of one engine, and keeps account of that. */
public final class SessionRetention implements CacheRetention {
    private final boolean[] hasLaterTurn;
    private final double seconds;
    private DoubleSupplier clock = () -> 0;
    private int retainedBlocks;
    private double since;

    /** Most blocks that were kept, the sum of them over time, and blocks found that would have been gone. */
    public int peakBlocks;

    public double blockSeconds;
    public long saved;

    /** {@code hasLaterTurn} tells which requests have a later turn. */
    public SessionRetention(boolean[] hasLaterTurn, double seconds) {
        this.hasLaterTurn = hasLaterTurn;
        this.seconds = seconds;
    }

    /** Starts with the clock of a new engine, which has an empty cache. */
    public void begin(DoubleSupplier time) {
        clock = time;
    }

    /** The engine failed, or was replaced, and lost its cache. */
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
