package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.instance.RequestTimeline;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/** The latency of a request in ns, divided into the parts of {@link Part}. */
public record LatencyBreakdown(long[] values) {
    /** The parts in order of time. The sum up to {@link #EVICTED} is the TTFT, and the sum of all is the E2E latency. */
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

    /** Rounds times instead of durations, so that the sums are exact. */
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
        long decodeStart = first;
        long handedOff = first;
        long transferStart = first;
        long transferEnd = first;
        if (timeline.isHandedOff(request)) {
            decodeStart = ns(timeline.resumed[request]);
            handedOff = ns(timeline.handed[request]);
            boolean hasMoved = !Double.isNaN(timeline.moved[request]);
            transferStart = hasMoved ? ns(timeline.moving[request]) : handedOff;
            transferEnd = hasMoved ? ns(timeline.moved[request]) : handedOff;
        }
        long interference = Math.min(completed - decodeStart, ns(timeline.interferenceSeconds[request]));
        return new LatencyBreakdown(new long[] {
            routed - arrived - lost,
            lost,
            entered - routed,
            started - entered - tier,
            tier,
            first - started - evicted,
            evicted,
            handedOff - first,
            transferStart - handedOff,
            transferEnd - transferStart,
            decodeStart - transferEnd,
            completed - decodeStart - interference,
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
