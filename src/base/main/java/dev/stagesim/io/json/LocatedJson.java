package dev.stagesim.io.json;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A JSON value with its location. Errors state the file, the JSON pointer, and the found and expected value.
 *
 * <p>Every {@code as} method throws {@link StageException} (input) if the value has another type.
 *
 * @param source file as the user would name it, with {@code :line} for one line of a JSON-lines file
 * @param pointer RFC 6901 pointer, empty for the document itself
 */
public record LocatedJson(String source, String pointer, JsonValue value) {
    /** Returns the location of the value for messages, for example {@code run_meta.json#/inputs/0}. */
    public String where() {
        return pointer.isEmpty() ? source : source + "#" + pointer;
    }

    /** Returns the error {@code found X, expected Y} about this value. */
    public StageException expected(String what) {
        return StageException.input(problem("found " + JsonText.describe(value) + ", expected " + what));
    }

    /** Returns a problem about this value. */
    public Problem problem(String what) {
        return Problem.artifact(where(), what);
    }

    /** Returns a required member. */
    public LocatedJson get(String name) {
        Map<String, JsonValue> members = object().members();
        JsonValue member = members.get(name);
        if (member == null) {
            throw StageException.input(
                    problem("member '" + name + "' is missing").didYouMean(Suggest.near(name, members.keySet())));
        }
        return child(name, member);
    }

    /** Returns a member, or empty if it is absent or null. */
    public Optional<LocatedJson> find(String name) {
        return object().get(name).filter(member -> !isNull(member)).map(member -> child(name, member));
    }

    /** Returns a nested member, or empty if one of the members is absent or null. */
    public Optional<LocatedJson> find(String name, String... below) {
        Optional<LocatedJson> found = find(name);
        for (String next : below) {
            found = found.flatMap(at -> at.find(next));
        }
        return found;
    }

    /** Returns a string member, or {@code otherwise} if it is absent or null. */
    public String text(String name, String otherwise) {
        return find(name).map(LocatedJson::asString).orElse(otherwise);
    }

    /** Returns an integer member, or {@code otherwise} if it is absent or null. */
    public long count(String name, long otherwise) {
        return find(name).map(LocatedJson::asLong).orElse(otherwise);
    }

    /** Returns a boolean member, or false if it is absent or null. */
    public boolean flag(String name) {
        return find(name).map(LocatedJson::asBool).orElse(false);
    }

    public boolean isObject() {
        return value instanceof JsonValue.Obj;
    }

    public boolean isNumber() {
        return value instanceof JsonValue.Int || value instanceof JsonValue.Real || value instanceof JsonValue.Big;
    }

    public boolean isArray() {
        return value instanceof JsonValue.Arr;
    }

    /** Returns true if the member is present, even as null. */
    public boolean has(String name) {
        return object().members().containsKey(name);
    }

    public boolean isNull() {
        return isNull(value);
    }

    /** Returns the members in file order. */
    public Map<String, LocatedJson> members() {
        Map<String, LocatedJson> members = new LinkedHashMap<>();
        object().members().forEach((name, member) -> members.put(name, child(name, member)));
        return members;
    }

    public List<LocatedJson> items() {
        List<JsonValue> items = array().items();
        List<LocatedJson> located = new ArrayList<>(items.size());
        for (int i = 0; i < items.size(); i++) {
            located.add(new LocatedJson(source, pointer + "/" + i, items.get(i)));
        }
        return located;
    }

    public JsonValue.Obj object() {
        if (value instanceof JsonValue.Obj object) {
            return object;
        }
        throw expected("an object");
    }

    public JsonValue.Arr array() {
        if (value instanceof JsonValue.Arr array) {
            return array;
        }
        throw expected("an array");
    }

    public String asString() {
        if (value instanceof JsonValue.Str str) {
            return str.value();
        }
        throw expected("a string");
    }

    public boolean asBool() {
        if (value instanceof JsonValue.Bool bool) {
            return bool.value();
        }
        throw expected("true or false");
    }

    /** Returns an integer. A real without a fraction, such as {@code 374.0}, is accepted. */
    public long asLong() {
        if (value instanceof JsonValue.Int number) {
            return number.value();
        }
        if (value instanceof JsonValue.Real real
                && real.value() == Math.rint(real.value())
                && Math.abs(real.value()) < 0x1p53) {
            return (long) real.value();
        }
        throw expected("an integer");
    }

    /** Returns an integer of 32 bits. */
    public int asInt() {
        long number = asLong();
        if (number != (int) number) {
            throw expected("an integer of 32 bits");
        }
        return (int) number;
    }

    /** Returns a number; NaN and infinities only if the file was read leniently. */
    public double asDouble() {
        if (value instanceof JsonValue.Int number) {
            return number.value();
        }
        if (value instanceof JsonValue.Real real) {
            return real.value();
        }
        if (value instanceof JsonValue.Big big) {
            return big.value().doubleValue();
        }
        throw expected("a number");
    }

    public double[] asDoubles() {
        List<JsonValue> items = array().items();
        double[] numbers = new double[items.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = items.get(i) instanceof JsonValue.Real real ? real.value() : item(i).asDouble();
        }
        return numbers;
    }

    /** Returns an array of integers. */
    public long[] asLongs() {
        List<JsonValue> items = array().items();
        long[] numbers = new long[items.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = items.get(i) instanceof JsonValue.Int number ? number.value() : item(i).asLong();
        }
        return numbers;
    }

    public List<String> asStrings() {
        return items().stream().map(LocatedJson::asString).toList();
    }

    /** Reports all members other than {@code known}, with suggestions. */
    public void allowOnly(Collection<String> known) {
        Set<String> names = Set.copyOf(known);
        List<Problem> problems = members().entrySet().stream()
                .filter(member -> !names.contains(member.getKey()))
                .map(member -> member.getValue()
                        .problem("unknown member '" + member.getKey() + "'")
                        .didYouMean(Suggest.near(member.getKey(), known)))
                .toList();
        StageException.refuse(problems);
    }

    private LocatedJson item(int index) {
        return new LocatedJson(source, pointer + "/" + index, array().items().get(index));
    }

    private LocatedJson child(String name, JsonValue member) {
        return new LocatedJson(source, pointer + "/" + escaped(name), member);
    }

    /** Escapes a name for a JSON pointer. */
    static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }

    private static boolean isNull(JsonValue value) {
        return value instanceof JsonValue.Null;
    }
}
