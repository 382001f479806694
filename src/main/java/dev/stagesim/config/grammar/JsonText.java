package dev.stagesim.config.grammar;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.StageException;
import java.util.stream.Collectors;

/** Writes values as one line of JSON and reads JSON as values. */
final class JsonText {
    private JsonText() {}

    /** Reads one JSON value; faults are {@link CallFault}s. */
    static Value read(String text) {
        try {
            return value(Json.parse(text, "the JSON").value());
        } catch (StageException wrong) {
            Problem problem = wrong.problems().get(0);
            throw new CallFault(problem.where() + ": " + problem.what());
        }
    }

    private static Value value(JsonValue json) {
        if (json instanceof JsonValue.Obj object) {
            return new Value.Dict(object.members().entrySet().stream()
                    .map(member -> new Value.Dict.Entry(Serializer.asKey(member.getKey()), value(member.getValue())))
                    .toList());
        }
        if (json instanceof JsonValue.Arr array) {
            return new Value.Items(array.items().stream().map(JsonText::value).toList());
        }
        if (json instanceof JsonValue.Str text) {
            return Serializer.asString(text.value());
        }
        if (json instanceof JsonValue.Bool flag) {
            return Value.Bool.of(flag.value());
        }
        if (json instanceof JsonValue.Real real) {
            return Value.Real.of(real.value());
        }
        if (json instanceof JsonValue.Int number) {
            return Value.Int.of(number.value());
        }
        return json instanceof JsonValue.Big number ? Value.Int.of(number.value()) : Value.Null.NULL;
    }

    static String write(Value value) {
        if (value instanceof Value.Null) {
            return "null";
        }
        if (value instanceof Value.Bool bool) {
            return Boolean.toString(bool.value());
        }
        if (value instanceof Value.Int integer) {
            return integer.value().toString();
        }
        if (value instanceof Value.Real real) {
            if (!Double.isFinite(real.value())) {
                throw new CallFault("JSON has no " + ShortestDouble.of(real.value()));
            }
            return ShortestDouble.of(real.value());
        }
        if (value instanceof Value.Scalar scalar) {
            return Json.quoted(scalar.text());
        }
        if (value instanceof Value.Items list) {
            return list.items().stream().map(JsonText::write).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Value.Dict dict) {
            return dict.entries().stream()
                    .map(entry -> Json.quoted(entry.key().text()) + ": " + write(entry.value()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        throw new CallFault(Types.name(value) + " has no JSON form");
    }
}
