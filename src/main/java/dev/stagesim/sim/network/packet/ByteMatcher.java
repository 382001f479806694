package dev.stagesim.sim.network.packet;

import dev.stagesim.sim.network.Unmatched;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The reference's matching: by counting bytes of each (source, destination, tag), not message by message.
 *
 * <p>A second receive for a key that waits adds its bytes and takes the place of the first, which is never told.
 */
final class ByteMatcher {
    static final int NOTHING = -1;

    private final Map<Key, Waiting> waiting = new LinkedHashMap<>();
    private final Map<Key, Long> arrived = new LinkedHashMap<>();

    /** Receives whose place another took, by key. */
    private final Map<Key, Integer> displaced = new LinkedHashMap<>();

    private record Key(int source, int destination, int tag) {}

    private record Waiting(long bytes, int handle, int count) {}

    /** A message is there: the handle of the receive that it completes, or {@link #NOTHING}. */
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

    /** A receive is posted: returns whether its bytes are there already; if not, the handle is kept. */
    boolean receive(int source, int destination, long bytes, int tag, int handle) {
        Key key = new Key(source, destination, tag);
        long there = arrived.getOrDefault(key, 0L);
        if (there >= bytes) {
            arrived.remove(key);
            if (there > bytes) {
                arrived.put(key, there - bytes);
            }
            return true;
        }
        arrived.remove(key);
        Waiting before = waiting.get(key);
        if (before != null) {
            displaced.merge(key, 1, Integer::sum);
        }
        long sum = bytes - there + (before == null ? 0 : before.bytes());
        waiting.put(key, new Waiting(sum, handle, before == null ? 1 : before.count() + 1));
        return false;
    }

    /** Hands on the receives whose place a later one of the same key took, and which are never told. */
    void displaced(Consumer<Unmatched> sink) {
        displaced.forEach((key, count) -> sink.accept(
                new Unmatched(Unmatched.Kind.AWAITED, key.source(), key.destination(), 0, key.tag(), count)));
    }

    /** Everything unmatched, by destination, source and tag. */
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
