package dev.stagesim.config.grammar;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The structure of a parsed override as JSON: the output of {@code config parse --json} and the format of recorded
 * cases.
 *
 * <p>Values are {@code {"t": type, "v": value}}. Numbers are decimal text, and maps are lists of pairs.
 */
public final class ParsedOverrideJson {
    /** Maximum number of listed sweep values. */
    static final int MAX_LISTED = 200;

    private ParsedOverrideJson() {}

    public static JsonValue.Obj of(ConfigOverride override, Dialect dialect) {
        JsonObjectBuilder json = JsonValue.object()
                .put("type", KeyNames.constant(override.type()))
                .put("key_or_group", override.key())
                .putOrNull("pkg1", override.pkg())
                .put("pkg2", JsonValue.NULL)
                .putOrNull("value_type", override.value().map(ParsedOverrideJson::valueType))
                .put("key_element", override.keyElement())
                .put("is_hydra", override.isEngineSetting());
        Value value = override.value().orElse(Value.Null.NULL);
        if (value instanceof SweepValue sweep) {
            return json.put("sweep", expanded(sweep, dialect)).build();
        }
        json.put("value", value(value));
        try {
            json.put("value_str", text(value, dialect));
        } catch (StageException unwritable) {
            json.put("value_str_error", error(unwritable));
        }
        return json.build();
    }

    private static String text(Value value, Dialect dialect) {
        return value.equals(Value.Text.EMPTY) ? "" : Serializer.serialise(value, dialect);
    }

    private static String valueType(Value value) {
        if (value instanceof SweepValue.Choice choice) {
            return choice.simple() ? "simple_choice_sweep" : "choice_sweep";
        }
        if (value instanceof SweepValue.Range) {
            return "range_sweep";
        }
        if (value instanceof SweepValue.Interval) {
            return "interval_sweep";
        }
        if (value instanceof SweepValue.Glob) {
            return "glob_choice_sweep";
        }
        return value instanceof SweepValue.Zip ? "zip_sweep" : "element";
    }

    /** Returns a value of any type as typed JSON. */
    static JsonValue.Obj value(Value value) {
        JsonObjectBuilder json = JsonValue.object();
        if (value instanceof Value.Null) {
            return json.put("t", "null").build();
        }
        if (value instanceof Value.Bool bool) {
            return json.put("t", "bool").put("v", bool.value()).build();
        }
        if (value instanceof Value.Int integer) {
            return json.put("t", "int").put("v", integer.value().toString()).build();
        }
        if (value instanceof Value.Real real) {
            return json.put("t", "float")
                    .put("v", ShortestDouble.of(real.value()))
                    .build();
        }
        if (value instanceof Value.Text text) {
            return json.put("t", "str").put("v", text.text()).build();
        }
        if (value instanceof Value.Quoted quoted) {
            return json.put("t", "quoted")
                    .put("v", quoted.text())
                    .put("q", String.valueOf(quoted.quote()))
                    .build();
        }
        if (value instanceof Value.Items list) {
            return json.put("t", "list").put("v", values(list.items())).build();
        }
        if (value instanceof Value.Dict dict) {
            return json.put("t", "dict").put("v", pairs(dict)).build();
        }
        return sweep((SweepValue) value).build();
    }

    private static JsonValue.Arr values(List<? extends Value> values) {
        return JsonValue.of(values.stream().map(ParsedOverrideJson::value).toList());
    }

    private static JsonValue.Arr pairs(Value.Dict dict) {
        return JsonValue.of(dict.entries().stream()
                .map(entry -> JsonValue.of(List.of(value(entry.key()), value(entry.value()))))
                .toList());
    }

    private static JsonObjectBuilder sweep(SweepValue sweep) {
        JsonObjectBuilder json = JsonValue.object();
        if (sweep instanceof SweepValue.Choice choice) {
            json.put("t", "choice")
                    .put("simple", choice.simple())
                    .put("shuffle", choice.shuffle())
                    .put("tags", tags(choice))
                    .put("list", values(choice.items()));
        } else if (sweep instanceof SweepValue.Range range) {
            json.put("t", "range")
                    .put("start", value(range.start()))
                    .put("stop", value(range.stop()))
                    .put("step", value(range.step()))
                    .put("shuffle", range.shuffle())
                    .put("tags", tags(range));
        } else if (sweep instanceof SweepValue.Interval interval) {
            json.put("t", "interval")
                    .put("start", value(interval.start()))
                    .put("end", value(interval.end()))
                    .put("tags", tags(interval));
        } else if (sweep instanceof SweepValue.Glob glob) {
            json.put("t", "glob")
                    .put("include", JsonValue.strings(glob.include()))
                    .put("exclude", JsonValue.strings(glob.exclude()));
        } else {
            json.put("t", "zip").put("list", columns((SweepValue.Zip) sweep));
        }
        return json;
    }

    private static JsonValue.Arr columns(SweepValue.Zip zip) {
        return JsonValue.of(zip.columns().stream()
                .map(column -> JsonValue.object()
                        .put("key", column.key())
                        .put("values", value(column.values()))
                        .build())
                .toList());
    }

    private static JsonValue.Arr tags(SweepValue sweep) {
        Set<String> tags = sweep.tags();
        return JsonValue.strings(tags.stream().sorted().toList());
    }

    private static JsonValue.Obj expanded(SweepValue sweep, Dialect dialect) {
        JsonObjectBuilder json = sweep(sweep);
        try {
            Optional<List<? extends Value>> points = points(sweep, dialect);
            if (points.isPresent()) {
                expand(json, points.get(), isShuffled(sweep), dialect);
            }
        } catch (StageException refused) {
            json.put("expansion_error", error(refused));
        }
        return json.build();
    }

    private static void expand(
            JsonObjectBuilder json, List<? extends Value> points, boolean shuffled, Dialect dialect) {
        boolean cut = points.size() > MAX_LISTED;
        List<? extends Value> listed = cut ? points.subList(0, MAX_LISTED) : points;
        List<String> texts = new ArrayList<>();
        for (Value point : listed) {
            texts.add(text(point, dialect));
        }
        if (shuffled) {
            json.put(
                    "expansion_sorted",
                    JsonValue.strings(texts.stream().sorted().toList()));
        } else {
            json.put("expansion", values(listed)).put("expansion_str", JsonValue.strings(texts));
        }
        if (cut) {
            json.put("expansion_truncated_at", MAX_LISTED);
        }
    }

    private static boolean isShuffled(SweepValue sweep) {
        return (sweep instanceof SweepValue.Choice choice && choice.shuffle())
                || (sweep instanceof SweepValue.Range range && range.shuffle());
    }

    /** Returns at most {@code MAX_LISTED + 1} values, or empty for sweeps that depend on files. */
    private static Optional<List<? extends Value>> points(SweepValue sweep, Dialect dialect) {
        if (sweep instanceof SweepValue.Choice choice) {
            return Optional.of(choice.items());
        }
        return sweep instanceof SweepValue.Range range
                ? Optional.of(RangePoints.of(range, dialect).first(MAX_LISTED + 1))
                : Optional.empty();
    }

    private static JsonValue.Obj error(StageException refused) {
        return JsonValue.object()
                .put("message", refused.problems().get(0).what())
                .build();
    }
}
