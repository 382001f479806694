package dev.stagesim.verify.vtc;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Counters, admissions and running requests under the virtual token counter, after every operation. */
public final class VtcSuite implements Suite {
    private static final String PART = "cases";

    @Override
    public String name() {
        return "vtc";
    }

    @Override
    public String doc() {
        return "Admissions and counters of the virtual token counter; a folder with cases/<case>/{case.json,expected.json}.";
    }

    @Override
    public void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        CaseFolders.replay(corpus.resolve(PART), VtcSuite::replay, results);
    }

    private static CaseResult replay(Path folder) throws IOException {
        String id = String.valueOf(folder.getFileName());
        JsonAt given = Json.read(folder.resolve("case.json"));
        List<JsonAt> ops = given.get("ops").items();
        List<JsonAt> results =
                Json.read(folder.resolve("expected.json")).get("results").items();
        List<Difference> differences = new ArrayList<>();
        if (ops.size() != results.size()) {
            return CaseResult.failed(
                    PART, id, "results", Integer.toString(ops.size()), Integer.toString(results.size()));
        }
        FairQueue queue = queue(given);
        Map<Integer, Integer> stops = new HashMap<>();
        for (int i = 0; i < ops.size() && differences.isEmpty(); i++) {
            JsonAt op = ops.get(i);
            JsonAt expected = results.get(i);
            switch (op.get("op").asString()) {
                case "append" -> append(op, queue, stops);
                case "admit" -> compare(expected.get("admitted"), queue.admit(), differences);
                case "decode" -> {
                    decode(op.get("steps").asInt(), queue, stops);
                    compare(expected.get("running"), queue.running(), differences);
                }
                default -> throw op.expected("append, admit or decode");
            }
            compare(expected.get("served"), queue.served(), differences);
        }
        return differences.isEmpty() ? CaseResult.passed(PART, id) : CaseResult.failed(PART, id, differences);
    }

    private static FairQueue queue(JsonAt given) {
        Map<String, Double> weights = new HashMap<>();
        List<String> tenants = given.get("tenants").asStrings();
        double[] listed = given.get("weights").asDoubles();
        for (int i = 0; i < tenants.size(); i++) {
            weights.put(tenants.get(i), i < listed.length ? listed[i] : 1);
        }
        return new FairQueue(
                new FairQueue.Limits(
                        given.get("max_total_tokens").asLong(),
                        given.get("batch_max_tokens").asLong(),
                        given.get("running_max").asInt()),
                new FairQueue.Prices(
                        given.get("input_price").asDouble(),
                        given.get("output_price").asDouble()),
                weights);
    }

    private static void append(JsonAt op, FairQueue queue, Map<Integer, Integer> stops) {
        int id = op.get("id").asInt();
        int most = op.get("max_output").asInt();
        stops.put(id, Math.min(op.get("stops_after").asInt(), most));
        queue.append(new FairQueue.Request(
                id, op.get("tenant").asString(), op.get("input").asInt(), most));
    }

    private static void decode(int steps, FairQueue queue, Map<Integer, Integer> stops) {
        for (int step = 0; step < steps && !queue.running().isEmpty(); step++) {
            for (FairQueue.Request request : queue.decode()) {
                if (queue.produced(request.id()) >= stops.getOrDefault(request.id(), Integer.MAX_VALUE)) {
                    queue.end(request.id());
                }
            }
        }
    }

    private static void compare(JsonAt expected, List<FairQueue.Request> actual, List<Difference> differences) {
        List<Long> wanted = new ArrayList<>();
        for (long id : expected.asLongs()) {
            wanted.add(id);
        }
        List<Long> got = actual.stream().map(request -> (long) request.id()).toList();
        if (!wanted.equals(got)) {
            differences.add(new Difference(expected.pointer(), wanted.toString(), got.toString()));
        }
    }

    private static void compare(JsonAt expected, Map<String, Double> actual, List<Difference> differences) {
        Map<String, Double> wanted = new HashMap<>();
        expected.members().forEach((tenant, served) -> wanted.put(tenant, served.asDouble()));
        if (!wanted.equals(actual)) {
            differences.add(new Difference(expected.pointer(), wanted.toString(), actual.toString()));
        }
    }
}
