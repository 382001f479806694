package dev.stagesim.verify.vtc;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
        LocatedJson given = Json.read(folder.resolve("case.json"));
        List<LocatedJson> ops = given.get("ops").items();
        List<LocatedJson> results =
                Json.read(folder.resolve("expected.json")).get("results").items();
        List<Difference> differences = new ArrayList<>();
        if (ops.size() != results.size()) {
            return CaseResult.failed(
                    PART, id, "results", Integer.toString(ops.size()), Integer.toString(results.size()));
        }
        FairEngine engine = new FairEngine(given);
        for (int i = 0; i < ops.size() && differences.isEmpty(); i++) {
            LocatedJson op = ops.get(i);
            LocatedJson expected = results.get(i);
            switch (op.get("op").asString()) {
                case "append" -> engine.append(op);
                case "admit" -> compare(expected.get("admitted"), engine.admit(), differences);
                case "decode" -> {
                    engine.decode(op.get("steps").asInt());
                    compare(expected.get("running"), engine.running(), differences);
                }
                default -> throw op.expected("append, admit or decode");
            }
            compare(expected.get("served"), engine.served(), differences);
        }
        return differences.isEmpty() ? CaseResult.passed(PART, id) : CaseResult.failed(PART, id, differences);
    }

    private static void compare(LocatedJson expected, List<Integer> actual, List<Difference> differences) {
        List<Integer> wanted = expected.items().stream().map(LocatedJson::asInt).toList();
        if (!wanted.equals(actual)) {
            differences.add(new Difference(expected.pointer(), wanted.toString(), actual.toString()));
        }
    }

    private static void compare(LocatedJson expected, Map<String, Double> actual, List<Difference> differences) {
        Map<String, Double> wanted = new TreeMap<>();
        expected.members().forEach((tenant, served) -> wanted.put(tenant, served.asDouble()));
        if (!wanted.equals(actual)) {
            differences.add(new Difference(expected.pointer(), wanted.toString(), actual.toString()));
        }
    }
}
