package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.instance.RequestTimeline;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/** The latency of a request as parts that add up to it, in ns, in the order of {@link Part}. */
public record LatencyBreakdown(long[] values) {
    /** The parts in order of time. Those up to {@link #EVICTED} add up to the TTFT, all of them to the E2E latency. */
    public enum Part implements ToLongFunction<LatencyBreakdown> {
        GATEWAY("gateway"),
        LOST("failed instances"),
        ROUTING("API server"),
        QUEUE("prefill queue"),
        TIER_READ("reads from lower cache tiers"),
        PREFILL("prefill"),
        EVICTED("preemption before the first token"),
        DECODE_ROUTING("API server (decode)"),
        TRANSFER_WAIT("wait for KV cache (decode)"),
        TRANSFER("KV transfer"),
        DECODE_QUEUE("decode queue"),
        DECODE("decode"),
        INTERFERENCE("interference of prefills and preemption");

        final String label;

        Part(String label) {
            this.label = label;
        }

        boolean isBeforeFirstToken() {
            return ordinal() < FIRST_TOKEN;
        }

        @Override
        public long applyAsLong(LatencyBreakdown breakdown) {
            return breakdown.values[ordinal()];
        }
    }

    static final int FIRST_TOKEN = Part.EVICTED.ordinal() + 1;
    private static final double NS = 1e9;

    /** Breakdown of a request that was not completed. */
    static final LatencyBreakdown NONE = new LatencyBreakdown(new long[Part.values().length]);

    public static long ns(double seconds) {
        return Math.round(seconds * NS);
    }

    /** Rounds moments instead of intervals, so that the parts add up. */
    static LatencyBreakdown of(RequestTimeline timeline, int request) {
        long arrived = ns(timeline.arrived[request]);
        long routed = ns(timeline.routed[request]);
        long lost = Math.min(routed - arrived, ns(timeline.lost[request]));
        long entered = ns(timeline.entered[request]);
        long started = ns(timeline.started[request]);
        long first = ns(timeline.firstToken[request]);
        long completed = ns(timeline.completed[request]);
        long tier = Math.min(started - entered, ns(timeline.tier[request]));
        long evicted = Math.min(first - started, ns(timeline.evicted[request]));
        long begun = first;
        long handed = first;
        long moving = first;
        long moved = first;
        if (timeline.isHandedOff(request)) {
            begun = ns(timeline.resumed[request]);
            handed = ns(timeline.handed[request]);
            boolean hasMoved = !Double.isNaN(timeline.moved[request]);
            moving = hasMoved ? ns(timeline.moving[request]) : handed;
            moved = hasMoved ? ns(timeline.moved[request]) : handed;
        }
        long interference = Math.min(completed - begun, ns(timeline.interferenceSeconds[request]));
        return new LatencyBreakdown(new long[] {
            routed - arrived - lost,
            lost,
            entered - routed,
            started - entered - tier,
            tier,
            first - started - evicted,
            evicted,
            handed - first,
            moving - handed,
            moved - moving,
            begun - moved,
            completed - begun - interference,
            interference
        });
    }

    /** Returns the breakdowns of all requests, computed on access. */
    static List<LatencyBreakdown> all(RequestTimeline timeline) {
        return new AbstractList<>() {
            @Override
            public LatencyBreakdown get(int request) {
                return timeline.isServed(request) ? of(timeline, request) : NONE;
            }

            @Override
            public int size() {
                return timeline.size();
            }
        };
    }

    public long get(Part part) {
        return values[part.ordinal()];
    }

    public long ttft() {
        return Arrays.stream(values, 0, FIRST_TOKEN).sum();
    }

    public long e2e() {
        return Arrays.stream(values).sum();
    }
}
