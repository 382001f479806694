package dev.stagesim.sim.serving.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** Orders recorded from Go's {@code container/heap}: twelve pushes, then removals, then pops. */
final class EvictionHeapTest {
    private static final String NAMES = "abcdefghijkl";
    private static final List<String> CLASSES = List.of("batch", "sheddable", "background");

    private final EvictionHeap heap = new EvictionHeap();
    private final Map<Character, BlisRequest> requests = new HashMap<>();

    private static BlisRequest request(char name, String serviceClass, long dispatchedAt) {
        BlisRequest request = new BlisRequest(
                new BlisRequest.Spec(
                        String.valueOf(name), 0, new long[0], new long[0], 0, serviceClass, "", "", "", 0, 0, 0, false),
                false);
        request.dispatchedAt = dispatchedAt;
        return request;
    }

    private String drained(IntFunction<String> serviceClass, IntToLongFunction dispatchedAt, String removed) {
        BlisEngine engine = new BlisEngine(
                new long[4],
                new long[3],
                1,
                1,
                0,
                1,
                0,
                1,
                1,
                0,
                0,
                BlisEngine.Order.FCFS,
                false,
                new BlisEngine.Adapters(0, 0, 1, 0, List.of()));
        BlisInstance instance = new BlisInstance("i", engine, new BlockChains(1), 0, (request, at) -> {});
        for (int i = 0; i < NAMES.length(); i++) {
            char name = NAMES.charAt(i);
            BlisRequest request = request(name, serviceClass.apply(i), dispatchedAt.applyAsLong(i));
            requests.put(name, request);
            heap.add(request, instance);
        }
        removed.chars().forEach(name -> heap.remove(requests.get((char) name)));
        StringBuilder order = new StringBuilder();
        while (!heap.isEmpty()) {
            order.append(heap.take().request().spec().id());
        }
        return order.toString();
    }

    @Test
    void takesEqualsInTheOrderOfTheHeap() {
        assertThat(drained(i -> "batch", i -> 5, "")).isEqualTo("alkjihgfedcb");
    }

    @Test
    void fillsTheGapsOfRemovedOnesAsTheHeapDoes() {
        assertThat(drained(i -> "batch", i -> 5, "cha")).isEqualTo("jikgfedlb");
    }

    @Test
    void takesTheLowestClassAndInItTheLatest() {
        assertThat(drained(i -> CLASSES.get(i % 3), i -> i / 4, "")).isEqualTo("ilfckhebjgad");
    }

    @Test
    void letsReplacementsRise() {
        assertThat(drained(i -> CLASSES.get(i % 3), i -> i / 4, "kb")).isEqualTo("ilfchejgda");
    }

    @Test
    void ignoresRequestsThatAreNotThere() {
        assertThat(drained(i -> "batch", i -> i, "aa")).isEqualTo("lkjihgfedcb");
    }
}
