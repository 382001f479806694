package dev.stagesim.verify;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Compares JSON documents: members in any order, numbers by value. */
public final class JsonDiff {
    private static final int MAX_DIFFERENCES = 20;

    private final List<Difference> found = new ArrayList<>();

    private JsonDiff() {}

    /** Returns the places at which the documents differ. */
    public static List<Difference> differences(JsonValue wanted, JsonValue actual) {
        JsonDiff same = new JsonDiff();
        same.compare("", wanted, actual);
        return same.found;
    }

    private void compare(String at, JsonValue wanted, JsonValue actual) {
        if (found.size() >= MAX_DIFFERENCES) {
            return;
        }
        if (wanted instanceof JsonValue.Obj first && actual instanceof JsonValue.Obj second) {
            members(at, first.members(), second.members());
        } else if (wanted instanceof JsonValue.Arr first
                && actual instanceof JsonValue.Arr second
                && first.items().size() == second.items().size()) {
            for (int i = 0; i < first.items().size(); i++) {
                compare(at + "/" + i, first.items().get(i), second.items().get(i));
            }
        } else if (!same(wanted, actual)) {
            found.add(new Difference(at, Json.describe(wanted), Json.describe(actual)));
        }
    }

    private void members(String at, Map<String, JsonValue> wanted, Map<String, JsonValue> actual) {
        TreeSet<String> names = new TreeSet<>(wanted.keySet());
        names.addAll(actual.keySet());
        for (String name : names) {
            JsonValue first = wanted.get(name);
            JsonValue second = actual.get(name);
            if (first == null || second == null) {
                found.add(new Difference(
                        at + "/" + name,
                        first == null ? "no member" : Json.describe(first),
                        second == null ? "no member" : Json.describe(second)));
            } else {
                compare(at + "/" + name, first, second);
            }
        }
    }

    private static boolean same(JsonValue wanted, JsonValue actual) {
        if (wanted instanceof JsonValue.Real || actual instanceof JsonValue.Real) {
            double first = number(wanted);
            double second = number(actual);
            return first == second || Double.compare(first, second) == 0;
        }
        return wanted.equals(actual);
    }

    private static double number(JsonValue value) {
        if (value instanceof JsonValue.Int whole) {
            return whole.value();
        }
        return value instanceof JsonValue.Real real ? real.value() : Double.NaN;
    }
}
