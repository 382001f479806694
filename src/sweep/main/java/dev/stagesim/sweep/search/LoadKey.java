package dev.stagesim.sweep.search;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.sweep.SweeperSettings;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The key of the load of a capacity search, and the other keys that change with the load.
 *
 * <p>The load of a closed loop is the number of requests in flight, because a closed loop offers no rate. Its latencies exclude
 * the first requests, which all enter at the start, and its number of requests grows with the load. A rate is exact for each
 * seed, so that the load is the offered load.
 *
 * @param name the key; empty if the search has no load
 * @param isWhole true if the load is a whole number
 */
public record LoadKey(String name, boolean isWhole) {
    static final LoadKey NONE = new LoadKey("", false);

    /** Key of the number of requests. */
    static final String REQUESTS = "workload.num_requests";

    private static final String RATE = "arrival.qps";
    private static final String CONCURRENCY = "arrival.concurrency";
    private static final String EXACT_RATE = "arrival.exact_rate";
    private static final String KIND = "arrival.kind";
    private static final String CLOSED_LOOP = "closed_loop";
    private static final String WARM_UP = "arrival.warmup_requests";
    private static final String TURNS = "workload.sharing.turns";
    private static final Map<String, String> SHORT = Map.of("rate", RATE, "concurrency", CONCURRENCY);

    /** Number of requests of a closed loop per request in flight: the first ones are its start, the last ones its end. */
    private static final long ROUNDS = 10;

    /** Returns the arguments of a stage, with a closed loop if the search varies its requests in flight. */
    public static List<String> complete(SweeperSettings sweeper, List<String> words) {
        boolean isOpen = words.stream().noneMatch(word -> word.startsWith("arrival=") || word.startsWith(KIND));
        if (!(sweeper instanceof SweeperSettings.Capacity capacity)
                || !isOpen
                || !SHORT.getOrDefault(capacity.key(), capacity.key()).equals(CONCURRENCY)) {
            return words;
        }
        List<String> closed = new ArrayList<>(words);
        closed.add("arrival=" + CLOSED_LOOP);
        return closed;
    }

    /**
     * Returns the settings with the whole key of the load.
     *
     * @throws StageException (input) if a rate is searched that closed loops do not offer
     */
    static SweeperSettings.Capacity resolve(SweeperSettings.Capacity settings, List<RunRequest> requests) {
        long closed = requests.stream().filter(LoadKey::isClosedLoop).count();
        String key = settings.key();
        if (key.equals(SweeperSettings.AUTO)) {
            if (closed != 0 && closed != requests.size()) {
                throw StageException.input(Problem.config(
                        KIND, "some candidates are closed loops, so they have no common load to search"));
            }
            key = closed == 0 ? RATE : CONCURRENCY;
        }
        key = SHORT.getOrDefault(key, key);
        if (key.equals(RATE) && closed > 0) {
            throw StageException.input(Problem.config(
                            "sweeper.key", "'" + RATE + "' is not the load of a closed loop, in which requests wait")
                    .hint("set sweeper.key=" + CONCURRENCY + " to search the requests in flight, or omit concurrency"));
        }
        if (key.equals(CONCURRENCY)
                && requests.stream()
                        .anyMatch(request -> find(request, RATE) instanceof ScalarNode rate && rate.value() != null)) {
            throw StageException.input(Problem.config(
                            RATE, "limits the load of the closed loop, so more requests in flight are not reached")
                    .hint("omit the rate to search the requests in flight, or omit concurrency to search the rate"));
        }
        return KeyRecord.with(SweeperSettings.Capacity.class, settings, Map.of("key", key));
    }

    boolean isRate() {
        return name.endsWith(".qps");
    }

    boolean isConcurrency() {
        return name.equals(CONCURRENCY);
    }

    /** Returns a load with its unit. */
    String text(double load) {
        return NumberText.number(load)
                + (isRate() ? " requests/s" : isConcurrency() ? " requests in flight" : " of " + name);
    }

    /** Returns the load to simulate next to {@code load}. */
    double round(double load) {
        return isWhole ? Math.max(1, Math.rint(load)) : load;
    }

    /** Returns the values of all keys that a load determines. */
    Map<String, Object> changes(RunRequest request, double load) {
        Map<String, Object> changes = new LinkedHashMap<>();
        if (!name.isEmpty()) {
            changes.put(name, isWhole ? (Object) (long) load : (Object) load);
        }
        if (isRate() && find(request, EXACT_RATE) != null && !isVidur(request)) {
            changes.put(EXACT_RATE, true);
        }
        Optional<Long> requests = integer(request, REQUESTS);
        if (isConcurrency() && requests.isPresent()) {
            changes.put(REQUESTS, Math.max(requests.get(), ROUNDS * (long) load * turns(request)));
            integer(request, WARM_UP).filter(count -> count == 0).ifPresent(none -> changes.put(WARM_UP, (long) load));
        }
        return changes;
    }

    /** Returns the turns of a session, or 1 without sessions of a constant number of turns. */
    private static long turns(RunRequest request) {
        return integer(request, TURNS).orElse(1L);
    }

    private static boolean isVidur(RunRequest request) {
        return find(request, "compat") instanceof ScalarNode compat
                && compat.text().equals("vidur");
    }

    private static boolean isClosedLoop(RunRequest request) {
        return find(request, KIND) instanceof ScalarNode kind && kind.text().equals(CLOSED_LOOP);
    }

    static Optional<Long> integer(RunRequest request, String key) {
        return find(request, key) instanceof ScalarNode leaf && leaf.value() instanceof BigInteger number
                ? Optional.of(number.longValue())
                : Optional.empty();
    }

    private static @Nullable Node find(RunRequest request, String key) {
        @Nullable Node node = request.config();
        for (String part : key.split("\\.", 0)) {
            node = node instanceof MapNode map ? map.get(part) : null;
        }
        return node;
    }
}
