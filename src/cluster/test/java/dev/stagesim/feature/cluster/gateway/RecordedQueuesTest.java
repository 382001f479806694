package dev.stagesim.feature.cluster.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.cluster.Clusters;
import dev.stagesim.feature.cluster.gateway.GatewaySettings.Tenant;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** Replays recorded gateways on the priority order and on the token bucket. */
final class RecordedQueuesTest {
    private static final int[] PRIORITIES = {-3, -2, -1, 3, 4};

    private static Clients clients(Map<String, Tenant> tenants, RequestTrace trace, RequestTimeline timeline) {
        return new Clients(
                KeyRecord.with(
                        GatewaySettings.class, KeyRecord.defaults(GatewaySettings.class), Map.of("tenants", tenants)),
                trace,
                timeline);
    }

    @ParameterizedTest
    @CsvFileSource(files = "tests-data/routing/queues.csv", numLinesToSkip = 1, maxCharsPerColumn = 100_000)
    void dispatchesByPriorityAsRecorded(String name, String operations) {
        Map<String, Tenant> tenants = new TreeMap<>();
        for (int priority : PRIORITIES) {
            tenants.put(
                    "p" + priority,
                    KeyRecord.with(Tenant.class, KeyRecord.defaults(Tenant.class), Map.of("priority", priority)));
        }
        RequestTimeline timeline = new RequestTimeline(1000);
        Clients clients = clients(tenants, Clusters.requests(1000, 10, 0, 3), timeline);
        AdmissionQueue line = new Priorities.Settings().make(clients);
        Map<String, Integer> requests = new HashMap<>();
        int added = 0;
        for (String operation : operations.split(" ", -1)) {
            String request = operation.substring(1).split(":", -1)[0];
            switch (operation.charAt(0)) {
                case '+' -> {
                    int priority = Integer.parseInt(operation.split(":", -1)[1]);
                    int number = IntStream.range(0, 1000)
                            .filter(i -> clients.settingsOf(i).priority() == priority && !requests.containsValue(i))
                            .findFirst()
                            .orElseThrow();
                    timeline.arrived[number] = added++;
                    requests.put(request, number);
                    line.add(number);
                }
                case '-' -> assertThat(line.take()).as(name + " " + operation).isEqualTo(requests.get(request));
                default -> line.remove(requests.get(request));
            }
        }
        assertThat(added).isGreaterThan(80);
    }

    @ParameterizedTest
    @CsvFileSource(files = "tests-data/routing/token_buckets.csv", numLinesToSkip = 1, maxCharsPerColumn = 100_000)
    void admitsByTokenBucketAsRecorded(String name, double capacity, double tokensPerS, String requests) {
        String[][] all = Arrays.stream(requests.split(" ", -1))
                .map(request -> request.split(":", -1))
                .toArray(String[][]::new);
        double[] at = Arrays.stream(all)
                .mapToDouble(request -> Double.parseDouble(request[0]) / 1e6)
                .toArray();
        int[] tokens = Arrays.stream(all)
                .mapToInt(request -> Integer.parseInt(request[1]))
                .toArray();
        int[] outputs = new int[all.length];
        Arrays.fill(outputs, 1);
        RequestTrace trace = new RequestTrace(at, tokens, outputs);
        Admission bucket = new TokenBucket.Settings(tokensPerS, capacity)
                .make(clients(Map.of(), trace, new RequestTimeline(all.length)));
        for (int i = 0; i < all.length; i++) {
            assertThat(bucket.admits(i, at[i], 0)).as("%s request %d", name, i).isEqualTo(all[i][2].equals("+"));
        }
    }
}
