package dev.stagesim.feature.cluster.report;

import dev.stagesim.feature.cluster.instance.RequestTimeline;
import java.util.AbstractList;
import java.util.List;

/**
 * The time of a request in parts that add up to it, in ns.
 *
 * @param gateway outside, until it was sent
 * @param lost with instances that failed
 * @param routing in the API server of the first engine
 * @param queue from the queue of the first engine into a batch, reads apart
 * @param tier reading from tiers of KV cache before that
 * @param prefill in batches until the first token
 * @param evicted without memory before the first token
 * @param secondRouting in the API server of the decode instance
 * @param transferWait until the decode instance had room
 * @param transfer on the links
 * @param decodeQueue from there into a batch
 * @param decode in batches after the first token, as if there were no prompts
 * @param interference that prompts of others added to these, and time without memory
 */
public record LatencyBreakdown(
        long gateway,
        long lost,
        long routing,
        long queue,
        long tier,
        long prefill,
        long evicted,
        long secondRouting,
        long transferWait,
        long transfer,
        long decodeQueue,
        long decode,
        long interference) {
    private static final double NS = 1e9;

    /** Of a request that was not served. */
    static final LatencyBreakdown NONE = new LatencyBreakdown(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    public static long ns(double seconds) {
        return Math.round(seconds * NS);
    }

    /** Rounds moments, not times between them, so that the parts add up. */
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
        long interferenceSeconds = Math.min(completed - begun, ns(timeline.interferenceSeconds[request]));
        return new LatencyBreakdown(
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
                completed - begun - interferenceSeconds,
                interferenceSeconds);
    }

    /** Of all requests, made when they are asked for. */
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

    /** All parts, in their order. */
    public long[] values() {
        return new long[] {
            gateway,
            lost,
            routing,
            queue,
            tier,
            prefill,
            evicted,
            secondRouting,
            transferWait,
            transfer,
            decodeQueue,
            decode,
            interference
        };
    }

    /** Time to the first token. */
    public long ttft() {
        return gateway + lost + routing + queue + tier + prefill + evicted;
    }

    /** Time to the last token. */
    public long e2e() {
        return ttft() + secondRouting + transferWait + transfer + decodeQueue + decode + interference;
    }
}
