package dev.stagesim.verify.hydra;

import dev.stagesim.config.grammar.ConfigOverride;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.OverrideParser;
import dev.stagesim.config.grammar.ParsedOverrideJson;
import dev.stagesim.config.grammar.SweepValue;
import dev.stagesim.config.sweep.GlobPattern;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.DifferenceList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code overrides} cases: one word is parsed in Hydra's dialect.
 *
 * <p>Successful cases must give the recorded structure field by field; failing ones an error of the same kind, syntax or
 * meaning.
 */
final class OverridesPart {
    static final HydraPart PART = new HydraPart("overrides", folder -> OverridesPart::replay);

    /** Errors inside a result: only that there is one is compared, since texts are advice. */
    private static final String ERROR_SUFFIX = "_error";

    private static final String ANY_ORDER = "nondeterministic_order";

    private OverridesPart() {}

    private static CaseResult replay(String id, LocatedJson recorded) {
        String input = recorded.get("input").asString();
        Dialect dialect = HydraPart.dialect(recorded);
        Optional<LocatedJson> error = recorded.find("error");
        ConfigOverride override;
        try {
            override = OverrideParser.parse(input, 1, dialect);
        } catch (StageException refused) {
            String expected = error.map(OverridesPart::kind).orElse("no error");
            String actual = refused.problems().get(0).category();
            return expected.equals(actual)
                    ? CaseResult.passed(PART.name(), id)
                    : CaseResult.failed(PART.name(), id, input, expected, actual + ": " + refused.getMessage());
        }
        if (error.isPresent()) {
            return CaseResult.failed(
                    PART.name(), id, input, error.get().get("message").asString(), "no error");
        }
        DifferenceList differences = new DifferenceList();
        compare(input, recorded.get("result"), structure(override, recorded, dialect), differences);
        return differences.result(PART.name(), id);
    }

    private static String kind(LocatedJson error) {
        boolean meaning = error.get("phase").asString().equals("semantic");
        return meaning ? OverrideParser.MEANING : OverrideParser.SYNTAX;
    }

    /** Our structure; recorded globs also show which names of a list they match. */
    private static JsonValue.Obj structure(ConfigOverride override, LocatedJson recorded, Dialect dialect) {
        JsonValue.Obj ours = ParsedOverrideJson.of(override, dialect);
        Optional<JsonValue> sweep = ours.get("sweep");
        if (sweep.isEmpty() || !(override.value().orElseThrow() instanceof SweepValue.Glob glob)) {
            return ours;
        }
        LocatedJson input = recorded.get("result").get("sweep").get("filter_input");
        List<String> output = GlobPattern.filter(glob, input.asStrings(), dialect);
        return ours.with(
                "sweep",
                ((JsonValue.Obj) sweep.get())
                        .with("filter_input", input.value())
                        .with("filter_output", JsonValue.strings(output)));
    }

    private static void compare(String where, LocatedJson expected, JsonValue.Obj actual, DifferenceList differences) {
        boolean anyOrder = expected.has(ANY_ORDER);
        for (Map.Entry<String, LocatedJson> field : expected.members().entrySet()) {
            String name = field.getKey();
            LocatedJson wanted = field.getValue();
            Optional<JsonValue> got = actual.get(name);
            if (name.equals("sweep") && got.isPresent() && got.get() instanceof JsonValue.Obj sweep) {
                compare(where + " sweep", wanted, sweep, differences);
            } else if (isCompared(name, anyOrder)
                    && !text(wanted.value(), anyOrder, name)
                            .equals(got.map(v -> text(v, anyOrder, name)).orElse(""))) {
                differences.add(
                        where + " " + name,
                        Json.compact(wanted.value()),
                        got.map(Json::compact).orElse("nothing"));
            }
        }
    }

    private static boolean isCompared(String field, boolean anyOrder) {
        return !field.equals(ANY_ORDER) && !(anyOrder && field.equals("value_str"));
    }

    private static String text(JsonValue value, boolean anyOrder, String name) {
        if (name.endsWith(ERROR_SUFFIX)) {
            return "an error";
        }
        boolean reordered = anyOrder
                && value instanceof JsonValue.Obj object
                && object.get("v").orElse(value) instanceof JsonValue.Arr;
        return reordered ? sortedItems((JsonValue.Obj) value) : Json.compact(value);
    }

    private static String sortedItems(JsonValue.Obj list) {
        JsonValue items = list.get("v").orElse(JsonValue.NULL);
        return items instanceof JsonValue.Arr array
                ? array.items().stream().map(Json::compact).sorted().toList().toString()
                : Json.compact(items);
    }
}
