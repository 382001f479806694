package dev.stagesim.verify.vtc;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.DifferenceList;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counters, admissions and running requests under the virtual token counter, after every operation. */
public final class VtcSuite {
    private static final String PART = "cases";

    /** The suite. */
    public static final Suite SUITE = Suite.ofCases(
            "vtc",
            "Admissions and counters of the virtual token counter; a folder with cases/<case>/{case.json,expected.json}.",
            VtcSuite::replay);

    private VtcSuite() {}

    private static CaseResult replay(Path folder) throws IOException {
        LocatedJson given = Json.read(folder.resolve("case.json"));
        List<LocatedJson> ops = given.get("ops").items();
        List<LocatedJson> results =
                Json.read(folder.resolve("expected.json")).get("results").items();
        DifferenceList differences = new DifferenceList();
        if (!differences.same("results", ops.size(), results.size())) {
            return differences.result(PART, folder);
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
        return differences.result(PART, folder);
    }

    private static void compare(LocatedJson expected, List<Integer> actual, DifferenceList differences) {
        List<Integer> wanted = expected.items().stream().map(LocatedJson::asInt).toList();
        differences.same(expected.pointer(), wanted, actual);
    }

    private static void compare(LocatedJson expected, Map<String, Double> actual, DifferenceList differences) {
        Map<String, Double> wanted = new TreeMap<>();
        expected.members().forEach((tenant, served) -> wanted.put(tenant, served.asDouble()));
        differences.same(expected.pointer(), wanted, actual);
    }
}
