package dev.stagesim.feature.pytorch.link;

import dev.stagesim.sim.core.LongIndex;
import dev.stagesim.sim.core.StableOrder;
import dev.stagesim.stats.Bisection;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntToLongFunction;

/** Pairs of events: the second event waits for the first, which is a device operator. */
final class Waits {
    /** No waits. */
    static final Waits NONE = new Waits(List.of());

    /** {@code target} waits for {@code source}. */
    private record Wait(int source, int target) {}

    private final List<Wait> waits;
    private final TreeMap<Long, List<Long>> before = new TreeMap<>();
    private boolean isUnplaced;

    private Waits(List<Wait> waits) {
        this.waits = waits;
        isUnplaced = !waits.isEmpty();
    }

    boolean isUnplaced() {
        return isUnplaced;
    }

    /** Sets the nodes of events; a negative value means no node. */
    void place(IntToLongFunction nodeOf) {
        for (Wait wait : waits) {
            long source = nodeOf.applyAsLong(wait.source());
            long target = nodeOf.applyAsLong(wait.target());
            if (source >= 0 && target >= 0 && source != target) {
                List<Long> list = before.computeIfAbsent(target, none -> new ArrayList<>());
                if (!list.contains(source)) {
                    list.add(source);
                }
            }
        }
        isUnplaced = false;
    }

    /** Nodes that a node waits for. */
    List<Long> before(long node) {
        return before.getOrDefault(node, List.of());
    }

    /** Finds waits, and subtracts the waiting time from the host operators that waited. */
    static final class Finder {
        private static final Set<String> FOR_ALL = new TreeSet<>(
                List.of("cudaDeviceSynchronize", "cuCtxSynchronize", "hipDeviceSynchronize", "cudaThreadSynchronize"));
        private static final Set<String> FOR_ONE = new TreeSet<>(List.of(
                "cudaStreamSynchronize",
                "cudaEventSynchronize",
                "cudaMemcpy",
                "cuStreamSynchronize",
                "cuEventSynchronize",
                "hipStreamSynchronize",
                "hipEventSynchronize",
                "hipMemcpy",
                "hipMemcpyWithStream"));

        private final DeviceTrace device;
        private final Launches launches;
        private final Paired paired;
        private final double[] exclusive;
        private final List<Wait> found = new ArrayList<>();
        private final DeviceStreams streams;

        Finder(DeviceTrace device, Launches launches, Paired paired, double[] exclusive) {
            this.device = device;
            this.launches = launches;
            this.paired = paired;
            this.exclusive = exclusive;
            streams = new DeviceStreams(device, launches);
        }

        /** Returns waits by external ids; the last device operator of each id is awaited. */
        Waits fromTable(SyncTable table) {
            LongIndex lastOf = new LongIndex(device.size() / 4);
            for (int event : device.select(each -> device.kind(each).isDevice())) {
                lastOf.put(device.external(event), event);
            }
            for (int event = 0; event < device.size(); event++) {
                if (device.kind(event).isCall()) {
                    for (long external : table.before(device.external(event))) {
                        int source = lastOf.get(external);
                        if (source >= 0) {
                            host(event, source);
                        }
                    }
                }
            }
            return new Waits(found);
        }

        /** Returns the waits that the profiler recorded, or those implied by the names of blocking calls. */
        Waits fromTrace() {
            int[] recorded = device.select(event -> device.sync(event) != null);
            for (int event : recorded) {
                SyncFacts facts = device.sync(event);
                int call = launches.callWith(device.correlation(event));
                if (facts != null && call >= 0) {
                    recorded(facts, device.device(event), call);
                }
            }
            if (recorded.length == 0) {
                byName();
            }
            return new Waits(found);
        }

        private void recorded(SyncFacts facts, long ofDevice, int call) {
            double time = device.start(call);
            switch (facts.kind()) {
                case STREAM -> host(call, streams.lastBefore(ofDevice, facts.stream(), time));
                case CONTEXT -> host(call, streams.lastOfAll(time));
                case EVENT -> host(call, recordedOn(facts, ofDevice));
                case STREAM_WAIT -> {
                    int source = recordedOn(facts, ofDevice);
                    int target = streams.firstAfter(ofDevice, facts.stream(), time);
                    if (source >= 0 && target >= 0) {
                        found.add(new Wait(source, target));
                    }
                }
            }
        }

        /** Last operator on the stream of an event before the event was recorded. */
        private int recordedOn(SyncFacts facts, long ofDevice) {
            int call = launches.callWith(facts.recordCorrelation());
            return call < 0 ? -1 : streams.lastBefore(ofDevice, facts.awaitedStream(), device.start(call));
        }

        private void byName() {
            int[] byEnd = device.select(event -> device.kind(event).isDevice());
            StableOrder.sort(byEnd, (a, b) -> Double.compare(device.end(a), device.end(b)));
            for (int event = 0; event < device.size(); event++) {
                if (!device.kind(event).isCall()) {
                    continue;
                }
                if (FOR_ALL.contains(device.name(event))) {
                    host(event, streams.lastOfAll(device.start(event)));
                } else if (FOR_ONE.contains(device.name(event))) {
                    host(event, released(event, byEnd));
                }
            }
        }

        /** Returns the operator that ended a wait: the last one to end during the call. */
        private int released(int call, int[] byEnd) {
            int last = Bisection.smallest(-1, byEnd.length, i -> device.end(byEnd[i]) > device.end(call)) - 1;
            return last >= 0 && device.end(byEnd[last]) >= device.start(call) ? byEnd[last] : -1;
        }

        /** Makes the next host operator on the thread of {@code call} wait for device operators. */
        private void host(int call, int... sources) {
            int target = paired.after(device.thread(call), device.start(call));
            boolean isWaiting = false;
            for (int source : sources) {
                if (source >= 0 && target >= 0) {
                    found.add(new Wait(source, target));
                    isWaiting = true;
                }
            }
            int around = isWaiting ? paired.around(device.thread(call), device.start(call), device.end(call)) : -1;
            if (around >= 0) {
                exclusive[around] = Math.max(0, exclusive[around] - device.duration(call));
            }
        }
    }
}
