package dev.stagesim.sim.serving.cluster;

import dev.stagesim.sim.serving.cluster.ClusterSignals.View;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The queue of a gateway: bands by priority, in each band a queue for every tenant. */
final class GatewayQueue {
    /** Outcome of a newcomer: whether it waits, and who was dropped for it. */
    record Outcome(boolean isQueued, Optional<BlisRequest> shed) {}

    private record Entry(BlisRequest request, long sequence, long deadline) {
        int priority() {
            return ServiceClasses.priority(request.spec().serviceClass());
        }
    }

    private static final class Band {
        private final TreeMap<String, List<Entry>> tenants = new TreeMap<>();
        private String lastServed = "";
        private int size;

        void remove(Entry entry) {
            String tenant = tenant(entry.request());
            List<Entry> queue = tenants.get(tenant);
            if (queue != null && queue.remove(entry)) {
                size--;
                if (queue.isEmpty()) {
                    tenants.remove(tenant);
                }
            }
        }
    }

    private final BlisConfig.Gateway settings;
    /** By priority, the highest first; a band stays once it was there. */
    private final TreeMap<Integer, Band> bands = new TreeMap<>(Comparator.reverseOrder());

    private final Map<BlisRequest, Entry> entries = new LinkedHashMap<>();
    private long sequence;

    GatewayQueue(BlisConfig.Gateway settings) {
        this.settings = settings;
    }

    int size() {
        return entries.size();
    }

    boolean holdsUnsheddable() {
        return bands.headMap(0, true).values().stream().anyMatch(band -> band.size > 0);
    }

    Outcome add(BlisRequest request, long now) {
        Entry entry = new Entry(request, ++sequence, deadline(request, now));
        Band band = bands.computeIfAbsent(entry.priority(), unseen -> new Band());
        Optional<BlisRequest> shed = Optional.empty();
        if (settings.bandCapacity() > 0 && band.size >= settings.bandCapacity()) {
            return new Outcome(false, shed);
        }
        if (settings.maxDepth() > 0 && size() >= settings.maxDepth()) {
            Optional<Entry> victim = settings.sheds() ? victim(entry.priority()) : Optional.empty();
            if (victim.isEmpty()) {
                return new Outcome(false, shed);
            }
            shed = victim.map(Entry::request);
            shed.ifPresent(this::remove);
        }
        band.tenants
                .computeIfAbsent(tenant(request), unseen -> new ArrayList<>())
                .add(entry);
        band.size++;
        entries.put(request, entry);
        return new Outcome(true, shed);
    }

    /** Removes a request; false when it does not wait here any more. */
    boolean remove(BlisRequest request) {
        Entry entry = entries.remove(request);
        Band band = entry == null ? null : bands.get(entry.priority());
        if (entry == null || band == null) {
            return false;
        }
        band.remove(entry);
        return true;
    }

    /** The request that may go at this saturation; it leaves the queue. */
    Optional<BlisRequest> next(double saturation) {
        int place = 0;
        for (Band band : bands.values()) {
            double limit = bands.size() > 1 ? 1 - place * (1 - settings.usageLimit()) / (bands.size() - 1) : 1;
            if (saturation >= limit) {
                return Optional.empty();
            }
            if (band.size > 0) {
                BlisRequest request = pick(band).request();
                remove(request);
                return Optional.of(request);
            }
            place++;
        }
        return Optional.empty();
    }

    /** How full the cluster is; at 1 nothing is let go. */
    double saturation(List<View> views) {
        return switch (settings.detector()) {
            case "", "never" -> 0;
            case "utilization" -> AdmissionRule.saturation(views, settings.queueThreshold(), settings.kvThreshold());
            case "concurrency" ->
                views.isEmpty()
                        ? 1
                        : views.stream().mapToInt(View::inFlight).sum()
                                / (double) (views.size() * settings.maxConcurrency());
            default -> throw new IllegalArgumentException("unknown detector " + settings.detector());
        };
    }

    private long deadline(BlisRequest request, long now) {
        BlisRequest.Spec spec = request.spec();
        Long target =
                spec.target() > 0 ? (Long) spec.target() : settings.targets().get(spec.serviceClass());
        return target == null ? Long.MAX_VALUE : now + target;
    }

    private static String tenant(BlisRequest request) {
        return request.spec().tenant().isEmpty() ? "default" : request.spec().tenant();
    }

    /** The latest of the lowest sheddable class, if it ranks below a newcomer. */
    private Optional<Entry> victim(int priority) {
        return entries.values().stream()
                .filter(entry ->
                        ServiceClasses.isSheddable(entry.request().spec().serviceClass()))
                .min(Comparator.comparingInt(Entry::priority).thenComparing(Entry::sequence, Comparator.reverseOrder()))
                .filter(entry -> priority > entry.priority());
    }

    private Entry pick(Band band) {
        List<Entry> queue = settings.takesTurns() ? turn(band) : earliest(band);
        return settings.byDeadline()
                ? queue.stream()
                        .min(Comparator.comparingLong(Entry::deadline).thenComparingLong(Entry::sequence))
                        .orElseThrow()
                : queue.get(0);
    }

    private static List<Entry> earliest(Band band) {
        return band.tenants.values().stream()
                .min(Comparator.comparingLong(queue -> queue.get(0).sequence()))
                .orElseThrow();
    }

    /** The tenant after the one served last, by name; from the start when that one has nothing waiting. */
    private static List<Entry> turn(Band band) {
        Map.Entry<String, List<Entry>> next =
                band.tenants.containsKey(band.lastServed) ? band.tenants.higherEntry(band.lastServed) : null;
        Map.Entry<String, List<Entry>> chosen = next == null ? band.tenants.firstEntry() : next;
        band.lastServed = chosen.getKey();
        return chosen.getValue();
    }
}
