package dev.stagesim.io.fabric;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads values from JSON trees, and reports all missing or wrong values in one error. */
final class Fields {
    /** Keys of at most this length get no suggestions of similar names. */
    private static final int SHORT = 2;

    private final List<Problem> problems = new ArrayList<>();
    private final Set<String> reported = new LinkedHashSet<>();

    /** A tree and its name in messages. */
    record Tree(String name, JsonValue.Obj value) {}

    /** Returns the value at a dotted path, or reports it and returns empty if it is missing. */
    Optional<JsonValue> find(Tree tree, String path) {
        JsonValue value = tree.value();
        String at = "";
        for (String part : path.split("\\.", -1)) {
            String here = at.isEmpty() ? part : at + "." + part;
            if (!(value instanceof JsonValue.Obj object)) {
                report(tree, at, "found " + Json.describe(value) + ", expected a mapping with " + part);
                return Optional.empty();
            }
            Optional<JsonValue> next = object.get(part);
            if (next.isEmpty()) {
                missing(tree, here, part, object);
                return Optional.empty();
            }
            value = next.get();
            at = here;
        }
        return Optional.of(value);
    }

    private void missing(Tree tree, String path, String part, JsonValue.Obj object) {
        if (reported.add(tree.name() + " " + path)) {
            problems.add(Problem.artifact(tree.name(), "the key '" + path + "' is missing")
                    .didYouMean(
                            part.length() > SHORT
                                    ? Suggest.near(part, object.members().keySet())
                                    : List.of()));
        }
    }

    void report(Tree tree, String path, String what) {
        if (reported.add(tree.name() + " " + path)) {
            problems.add(Problem.artifact(path.isEmpty() ? tree.name() : tree.name() + " " + path, what));
        }
    }

    void require(Tree tree, List<String> paths) {
        paths.forEach(path -> find(tree, path));
    }

    /** Returns a number, or reports it and returns 0. */
    double number(Tree tree, String path) {
        Optional<JsonValue> value = find(tree, path);
        Optional<Double> number = value.flatMap(Plain::real);
        if (value.isPresent() && number.isEmpty()) {
            report(tree, path, "found " + Json.describe(value.get()) + ", expected a number");
        }
        return number.orElse(0.0);
    }

    /** Returns a 64-bit integer, truncated if it has a fraction, or reports it and returns 0. */
    long integer(Tree tree, String path) {
        Optional<JsonValue> value = find(tree, path);
        return value.isPresent() ? integer(tree, path, value.get()) : 0;
    }

    long integer(Tree tree, String path, JsonValue value) {
        Optional<BigInteger> number = Plain.integer(value).filter(n -> n.bitLength() < Long.SIZE);
        if (number.isEmpty()) {
            report(tree, path, "found " + Json.describe(value) + ", expected an integer");
        }
        return number.orElse(BigInteger.ZERO).longValue();
    }

    /** Returns a text, or reports it and returns an empty text. */
    String text(Tree tree, String path) {
        Optional<JsonValue> value = find(tree, path);
        if (value.isPresent() && !(value.get() instanceof JsonValue.Str)) {
            report(tree, path, "found " + Json.describe(value.get()) + ", expected a string");
        }
        return value.filter(JsonValue.Str.class::isInstance)
                .map(text -> ((JsonValue.Str) text).value())
                .orElse("");
    }

    /** Throws the collected problems, if any. */
    void check() {
        StageException.refuse(problems);
    }
}
