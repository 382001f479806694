package dev.stagesim.io.json;

import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.contract.JsonField;
import dev.stagesim.model.Problem;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Validates JSON against its declared schema. */
final class ArtifactCheck {
    private final List<Problem> problems = new ArrayList<>();

    private ArtifactCheck() {}

    /** Returns the deviations from the declaration, in its order. */
    static List<Problem> problems(JsonArtifact artifact, LocatedJson document) {
        ArtifactCheck check = new ArtifactCheck();
        if (check.holds(document, document.value() instanceof JsonValue.Obj, "an object")) {
            check.members(artifact.fields(), document);
            document.find("schema_version")
                    .ifPresent(version -> check.holds(
                            version,
                            // record equality uses a class that is generated at run time
                            version.value() instanceof JsonValue.Int number && number.value() == artifact.version(),
                            "contract version " + artifact.version()));
        }
        return check.problems;
    }

    private boolean holds(LocatedJson at, boolean condition, String expected) {
        if (!condition) {
            problems.addAll(at.expected(expected).problems());
        }
        return condition;
    }

    private void members(List<JsonField> fields, LocatedJson at) {
        Map<String, LocatedJson> members = at.members();
        for (JsonField field : fields) {
            LocatedJson member = members.get(field.name());
            if (member != null) {
                value(field, member);
            } else if (field.required()) {
                problems.add(at.problem("member '" + field.name() + "' is missing"));
            }
        }
        List<String> known = fields.stream().map(JsonField::name).toList();
        members.forEach((name, member) -> {
            if (!known.contains(name)) {
                problems.add(member.problem("unknown member '" + name + "'"));
            }
        });
    }

    private void value(JsonField field, LocatedJson at) {
        JsonValue value = at.value();
        if (value instanceof JsonValue.Null && field.nullable()) {
            return;
        }
        switch (field.type()) {
            case STRING -> holds(at, value instanceof JsonValue.Str, "a string");
            case INTEGER -> holds(at, value instanceof JsonValue.Int i && i.value() >= 0, "an integer from 0");
            case NUMBER -> holds(at, isNumber(value), "a number");
            case BOOLEAN -> holds(at, value instanceof JsonValue.Bool, "true or false");
            case INSTANT -> holds(at, isInstant(value), "an instant");
            case SHA256 ->
                holds(at, value instanceof JsonValue.Str s && s.value().matches("[0-9a-f]{64}"), "64 hex digits");
            case STRINGS -> items(at, item -> holds(item, item.value() instanceof JsonValue.Str, "a string"));
            case INTERVAL -> interval(at);
            case OBJECT -> object(field, at);
            case OBJECTS -> items(at, item -> object(field, item));
            case NUMBERS -> {
                if (holds(at, value instanceof JsonValue.Obj, "an object")) {
                    at.members().values().forEach(member -> holds(member, isNumber(member.value()), "a number"));
                }
            }
            case FREE -> holds(at, value instanceof JsonValue.Obj, "an object");
            case ANY -> {}
        }
    }

    private interface Each {
        void check(LocatedJson item);
    }

    private void items(LocatedJson at, Each each) {
        if (holds(at, at.value() instanceof JsonValue.Arr, "an array")) {
            at.items().forEach(each::check);
        }
    }

    private void object(JsonField field, LocatedJson at) {
        if (holds(at, at.value() instanceof JsonValue.Obj, "an object")) {
            members(field.fields(), at);
        }
    }

    private void interval(LocatedJson at) {
        holds(at, at.value() instanceof JsonValue.Arr pair && pair.items().size() == 2, "an array of 2");
        items(
                at,
                end -> holds(end, end.value() instanceof JsonValue.Null || isNumber(end.value()), "a number or null"));
    }

    private static boolean isNumber(JsonValue value) {
        return value instanceof JsonValue.Int
                || value instanceof JsonValue.Big
                || (value instanceof JsonValue.Real real && Double.isFinite(real.value()));
    }

    private static boolean isInstant(JsonValue value) {
        try {
            return value instanceof JsonValue.Str text && Instant.parse(text.value()) != null;
        } catch (DateTimeParseException e) {
            return false;
        }
    }
}
