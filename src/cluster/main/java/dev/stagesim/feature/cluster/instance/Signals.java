package dev.stagesim.feature.cluster.instance;

import dev.stagesim.model.Key;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Instance metrics that routers read: current values, or the values of the last scrape that has arrived.
 *
 * <p>Scrapes occur at multiples of the period. They are not events: before a value changes, the old values are saved
 * for the earlier scrapes. A read takes constant time, and the memory is proportional to the scrapes within the delay.
 */
public final class Signals {
    /** The section {@code cluster.signals}. */
    public record Settings(
            @Key("Interval between scrapes of an instance. | 50 | ms | 0.001..1000000000") double periodMs,
            @Key("Delay from a scrape until routers receive it. | 0 | ms | 0..1000000000") double delayMs) {}

    /** Requests in the engine's queue. */
    public static final int WAITING = 0;

    /** Requests in the batch. */
    public static final int RUNNING = 1;

    /** Share of the KV cache in use. */
    public static final int KV_USAGE = 2;

    /** Totals over completed requests: times, tokens and their number. */
    public static final int QUEUE_S = 3;

    public static final int PREFILL_S = 4;
    public static final int DECODE_S = 5;
    public static final int PROMPT_TOKENS = 6;
    public static final int OUTPUT_TOKENS = 7;
    public static final int COMPLETED = 8;
    private static final int KINDS = 9;

    /** Values found by the scrapes after the previous snapshot, up to number {@code until}. */
    private record Snapshot(long until, double[] values) {}

    private final double[][] values;
    private final double period;
    private final double delay;
    private final List<ArrayDeque<Snapshot>> snapshots = new ArrayList<>();
    private final long[] lastSnapshot;
    private double now;

    /** Number of the last scrape that has arrived. */
    private long visibleScrape = -1;

    private Signals(int size, double period, double delay) {
        values = new double[size][KINDS];
        this.period = period;
        this.delay = delay;
        lastSnapshot = new long[size];
        for (int i = 0; i < size; i++) {
            lastSnapshot[i] = -1;
            snapshots.add(new ArrayDeque<>());
        }
    }

    /** Creates metrics without delay. */
    public static Signals fresh(int size) {
        return new Signals(size, 0, 0);
    }

    public static Signals scraped(int size, Settings settings) {
        return new Signals(size, settings.periodMs() / 1e3, settings.delayMs() / 1e3);
    }

    /** Sets a value from a time on. A scrape at the same time finds the previous value. */
    public void set(int instance, int kind, double at, double value) {
        if (period > 0 && value != values[instance][kind]) {
            long scrape = (long) Math.floor(at / period);
            if (scrape > lastSnapshot[instance]) {
                snapshots.get(instance).add(new Snapshot(scrape, values[instance].clone()));
                lastSnapshot[instance] = scrape;
            }
        }
        values[instance][kind] = value;
    }

    void add(int instance, int kind, double at, double amount) {
        set(instance, kind, at, values[instance][kind] + amount);
    }

    /** Sets the time of the router's decision. Times must not decrease. */
    public void look(double at) {
        now = at;
        visibleScrape = period > 0 ? (long) Math.floor((at - delay) / period) : visibleScrape;
    }

    /** Returns the time of the router's decision. */
    public double now() {
        return now;
    }

    /** Returns the value that a router reads. */
    public double get(int instance, int kind) {
        ArrayDeque<Snapshot> instanceSnapshots = snapshots.get(instance);
        while (!instanceSnapshots.isEmpty() && instanceSnapshots.getFirst().until() < visibleScrape) {
            instanceSnapshots.removeFirst();
        }
        return instanceSnapshots.isEmpty()
                ? values[instance][kind]
                : instanceSnapshots.getFirst().values()[kind];
    }
}
