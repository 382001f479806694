package dev.stagesim.feature.cluster;

import dev.stagesim.sim.serving.memory.CacheRetention;
import java.util.function.DoubleSupplier;

/** Keeps what conversations with turns to come leave in the cache of one engine, and keeps account of that. */
final class SessionRetention implements CacheRetention {
    private final boolean[] goesOn;
    private final double seconds;
    private DoubleSupplier clock = () -> 0;
    private int held;
    private double since;

    /** Most blocks that were kept, the sum of them over time, and blocks found that would have been gone. */
    int most;

    double blockSeconds;
    long saved;

    /** {@code goesOn} tells which requests have a later turn. */
    SessionRetention(boolean[] goesOn, double seconds) {
        this.goesOn = goesOn;
        this.seconds = seconds;
    }

    /** The engine is a new one, with such a clock. */
    void begin(DoubleSupplier time) {
        if (held > 0) {
            held(0);
        }
        clock = time;
    }

    @Override
    public double now() {
        return clock.getAsDouble();
    }

    @Override
    public double until(int place) {
        return goesOn[place >> 1] ? now() + seconds : 0;
    }

    @Override
    public void held(int blocks) {
        double now = now();
        blockSeconds += held * Math.max(0, now - since);
        since = Math.max(since, now);
        held = blocks;
        most = Math.max(most, blocks);
    }

    @Override
    public void saved() {
        saved++;
    }
}
