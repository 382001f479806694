package dev.stagesim.feature.cluster.instance;

import dev.stagesim.model.Key;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What routers see of the instances of a group besides what they sent: as it is, or as the last scrape that has come found it.
 *
 * <p>Scrapes are at multiples of the period. None is an event: a change puts by what the scrapes since the change before it
 * found, so that a look costs constant time, and memory is as long as the delay has scrapes.
 */
public final class Signals {
    /** The section {@code cluster.signals}. */
    public record Settings(
            @Key("Time between two scrapes of an instance. | 50 | ms | 0.001..1000000000") double periodMs,
            @Key("Time from a scrape until routers know it. | 0 | ms | 0..1000000000") double delayMs) {}

    /** Requests in the queue of an engine. */
    public static final int WAITING = 0;

    /** Requests in its batch. */
    public static final int RUNNING = 1;

    /** Share of its cache in use. */
    public static final int KV_USAGE = 2;

    /** Sums over the requests that it has completed: times, tokens and their number. */
    public static final int QUEUE_S = 3;

    public static final int PREFILL_S = 4;
    public static final int DECODE_S = 5;
    public static final int PROMPT_TOKENS = 6;
    public static final int OUTPUT_TOKENS = 7;
    public static final int COMPLETED = 8;
    private static final int KINDS = 9;

    /** What all scrapes found up to the one with this number, after the one of the entry before. */
    private record Snapshot(long until, double[] values) {}

    private final double[][] values;
    private final double period;
    private final double delay;
    private final List<ArrayDeque<Snapshot>> snapshots = new ArrayList<>();
    private final long[] lastSnapshot;
    private double now;

    /** The number of the last scrape that has come. */
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

    /** Always as it is. */
    public static Signals fresh(int size) {
        return new Signals(size, 0, 0);
    }

    public static Signals scraped(int size, Settings settings) {
        return new Signals(size, settings.periodMs() / 1e3, settings.delayMs() / 1e3);
    }

    /** Something is different from now on; a scrape of the same time was before it. */
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

    void add(int instance, int kind, double at, double more) {
        set(instance, kind, at, values[instance][kind] + more);
    }

    /** Routers decide at this time, which does not go back. */
    public void look(double at) {
        now = at;
        visibleScrape = period > 0 ? (long) Math.floor((at - delay) / period) : visibleScrape;
    }

    /** When they do. */
    public double now() {
        return now;
    }

    /** What they see. */
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
