package dev.stagesim.sim.network.packet;

import dev.stagesim.sim.network.Unmatched;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The reference's matching: counts bytes per (source, destination, tag) instead of matching individual messages.
 *
 * <p>A second receive with the key of a pending one adds its bytes and replaces it. The replaced receive is never
 * notified.
 */
final class ByteMatcher {
    static final int NOTHING = -1;

    private final Map<Key, Waiting> waiting = new LinkedHashMap<>();
    private final Map<Key, Long> arrived = new LinkedHashMap<>();

    /** Number of replaced receives, by key. */
    private final Map<Key, Integer> displaced = new LinkedHashMap<>();

    private record Key(int source, int destination, int tag) {}

    private record Waiting(long bytes, int handle, int count) {}

    /** Records an arrival. Returns the handle of the receive that it completes, or {@link #NOTHING}. */
    int arrive(int source, int destination, long bytes, int tag) {
        Key key = new Key(source, destination, tag);
        Waiting receive = waiting.remove(key);
        if (receive == null) {
            arrived.merge(key, bytes, Long::sum);
            return NOTHING;
        }
        if (bytes < receive.bytes()) {
            waiting.put(key, new Waiting(receive.bytes() - bytes, receive.handle(), receive.count()));
            return NOTHING;
        }
        if (bytes > receive.bytes()) {
            arrived.put(key, bytes - receive.bytes());
        }
        return receive.handle();
    }

    /** Posts a receive. Returns true if its bytes have already arrived; otherwise stores the handle. */
    boolean receive(int source, int destination, long bytes, int tag, int handle) {
        Key key = new Key(source, destination, tag);
        long arrivedBytes = arrived.getOrDefault(key, 0L);
        if (arrivedBytes >= bytes) {
            arrived.remove(key);
            if (arrivedBytes > bytes) {
                arrived.put(key, arrivedBytes - bytes);
            }
            return true;
        }
        arrived.remove(key);
        Waiting before = waiting.get(key);
        if (before != null) {
            displaced.merge(key, 1, Integer::sum);
        }
        long sum = bytes - arrivedBytes + (before == null ? 0 : before.bytes());
        waiting.put(key, new Waiting(sum, handle, before == null ? 1 : before.count() + 1));
        return false;
    }

    /** Reports the replaced receives, which are never notified. */
    void displaced(Consumer<Unmatched> sink) {
        displaced.forEach((key, count) -> sink.accept(
                new Unmatched(Unmatched.Kind.AWAITED, key.source(), key.destination(), 0, key.tag(), count)));
    }

    /** Reports all unmatched bytes and receives, by destination, source and tag. */
    void unmatched(Consumer<Unmatched> sink) {
        Map<Key, Unmatched> all = new TreeMap<>(Comparator.comparingInt(Key::destination)
                .thenComparingInt(Key::source)
                .thenComparingInt(Key::tag));
        arrived.forEach((key, bytes) -> all.put(
                key, new Unmatched(Unmatched.Kind.ARRIVED, key.source(), key.destination(), bytes, key.tag(), 1)));
        waiting.forEach((key, receive) -> all.put(
                key,
                new Unmatched(
                        Unmatched.Kind.AWAITED,
                        key.source(),
                        key.destination(),
                        receive.bytes(),
                        key.tag(),
                        receive.count())));
        all.values().forEach(sink);
    }
}
