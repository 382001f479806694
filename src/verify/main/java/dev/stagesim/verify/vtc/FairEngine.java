package dev.stagesim.verify.vtc;

import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.serving.cluster.VirtualTokenCounters;
import dev.stagesim.sim.serving.memory.MemoryForecast;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** The recorded engine: it takes requests from the counters of the product while its batch has room for them. */
final class FairEngine {
    private static final class Request {
        final int tenant;
        final int id;
        final int input;
        final int maxOutput;
        final int stopsAfter;
        int produced;

        Request(int tenant, LocatedJson op) {
            this.tenant = tenant;
            id = op.get("id").asInt();
            input = op.get("input").asInt();
            maxOutput = op.get("max_output").asInt();
            stopsAfter = Math.min(op.get("stops_after").asInt(), maxOutput);
        }
    }

    private final List<String> tenants;
    private final VirtualTokenCounters counters;
    private final long totalTokens;
    private final long batchTokens;
    private final int maxRunning;
    private final Map<Integer, Request> waiting = new TreeMap<>();
    private final List<Request> running = new ArrayList<>();
    private final Map<String, Double> served = new TreeMap<>();

    FairEngine(LocatedJson given) {
        List<String> names = given.get("tenants").asStrings();
        double[] listed = given.get("weights").asDoubles();
        Map<String, Double> weights = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            weights.put(names.get(i), i < listed.length ? listed[i] : 1); // the last weight of a tenant counts
        }
        tenants = List.copyOf(weights.keySet());
        counters = new VirtualTokenCounters(
                given.get("input_price").asDouble(),
                given.get("output_price").asDouble(),
                weights.values().stream().mapToDouble(weight -> weight).toArray());
        totalTokens = given.get("max_total_tokens").asLong();
        batchTokens = given.get("batch_max_tokens").asLong();
        maxRunning = given.get("running_max").asInt();
    }

    void append(LocatedJson op) {
        Request request = new Request(tenants.indexOf(op.get("tenant").asString()), op);
        waiting.put(request.id, request);
        counters.add(request.tenant, request.id);
        served.put(tenants.get(request.tenant), 0.0);
    }

    /** Admits requests until the next one does not fit; returns their ids in order. */
    List<Integer> admit() {
        List<Request> admitted = new ArrayList<>();
        MemoryForecast forecast = new MemoryForecast();
        running.forEach(each -> forecast.add(each.input + each.produced, each.maxOutput - each.produced - 1));
        long prompts = 0;
        while (counters.size() > 0 && running.size() + admitted.size() < maxRunning) {
            int tenant = counters.next();
            Request request = Objects.requireNonNull(waiting.get(counters.first(tenant)));
            forecast.add(request.input + 1, request.maxOutput - 1);
            if (prompts + request.input > batchTokens || forecast.peak() >= totalTokens) {
                break;
            }
            prompts += request.input;
            counters.remove(tenant, request.id);
            counters.chargePrompt(tenant, request.input);
            admitted.add(request);
        }
        running.addAll(admitted);
        return admitted.stream().map(request -> request.id).toList();
    }

    void decode(int steps) {
        for (int step = 0; step < steps && !running.isEmpty(); step++) {
            for (Request request : running) {
                request.produced++;
                counters.chargeOutput(request.tenant, 1);
            }
            running.removeIf(request -> request.produced >= request.stopsAfter);
        }
    }

    List<Integer> running() {
        return running.stream().map(request -> request.id).toList();
    }

    /** Returns the counters of the tenants that have sent a request. */
    Map<String, Double> served() {
        served.replaceAll((tenant, before) -> counters.served(tenants.indexOf(tenant)));
        return served;
    }
}
