package dev.stagesim.verify.training;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Difference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The recorded outcome of a case, and the places where ours differs. */
final class Expectation {
    private static final double TOLERANCE = 1e-9;

    private final JsonAt recorded;
    private final List<Difference> differences = new ArrayList<>();

    Expectation(JsonAt recorded) {
        this.recorded = recorded;
    }

    JsonAt recorded() {
        return recorded;
    }

    /** The kind of refusal that was recorded, or nothing where the tool finished. */
    String refusal() {
        return recorded.find("kind").map(JsonAt::asString).orElse("");
    }

    CaseResult result(String part, String id) {
        return differences.isEmpty() ? CaseResult.passed(part, id) : CaseResult.failed(part, id, differences);
    }

    void differ(String where, Object expected, Object actual) {
        differences.add(new Difference(where, String.valueOf(expected), String.valueOf(actual)));
    }

    void same(String where, Object expected, Object actual) {
        if (!expected.equals(actual)) {
            differ(where, expected, actual);
        }
    }

    /** Every member of the recorded object against ours: numbers to 1e-9 relative, all else exactly; none missing, none more. */
    void members(JsonAt object, Map<String, ?> actual, String... ignored) {
        Map<String, JsonAt> members = object.members();
        List<String> without = List.of(ignored);
        TreeSet<String> names = new TreeSet<>(members.keySet());
        names.addAll(actual.keySet());
        without.forEach(names::remove);
        for (String name : names) {
            String where = object.pointer() + "/" + name;
            JsonAt wanted = members.get(name);
            Object value = actual.get(name);
            if (wanted == null || value == null) {
                differ(where, wanted == null ? "none" : "a figure", value == null ? "none" : value);
            } else {
                value(where, wanted, value);
            }
        }
    }

    /** One recorded value against ours; NaN stands for null. */
    void value(String where, JsonAt expected, Object actual) {
        if (actual instanceof Number number) {
            number(where, expected, number.doubleValue());
        } else if (actual instanceof Boolean flag) {
            same(where, expected.asBool(), flag);
        } else {
            same(where, expected.asString(), String.valueOf(actual));
        }
    }

    private void number(String where, JsonAt expected, double actual) {
        if (expected.isNull() || Double.isNaN(actual)) {
            if (!expected.isNull() || !Double.isNaN(actual)) {
                differ(where, expected.isNull() ? "null" : expected.value(), ShortestDouble.of(actual));
            }
            return;
        }
        double wanted =
                expected.value() instanceof JsonValue.Str text && text.value().equals("Infinity")
                        ? Double.POSITIVE_INFINITY
                        : expected.asDouble();
        if (wanted != actual && !(Math.abs(wanted - actual) <= TOLERANCE * Math.abs(wanted))) {
            differ(where, ShortestDouble.of(wanted), ShortestDouble.of(actual));
        }
    }
}
