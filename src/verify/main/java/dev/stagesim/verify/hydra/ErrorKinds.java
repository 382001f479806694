package dev.stagesim.verify.hydra;

import dev.stagesim.config.grammar.OverrideParser;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.verify.hydra.InterpCases.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Compares the kind of an error with the kind of a recorded error. */
final class ErrorKinds {
    /** Texts of one mistake in Hydra and in Stagesim. */
    private record Kind(Pattern hydra, Pattern ours) {
        static Kind of(String hydra, String ours) {
            return new Kind(Pattern.compile(hydra, Pattern.DOTALL), Pattern.compile(ours, Pattern.DOTALL));
        }
    }

    /** Errors that only report that a merge failed. The rest of the message or a recorded cause has the reason. */
    private static final Pattern MERGING = Pattern.compile("Error merging override|raised while composing config");

    private static final List<Kind> CAUSES = List.of(
            Kind.of("list index out of range", "has \\d+ elements"),
            Kind.of("ConfigTypeError.*Cannot merge ", "cannot merge a (map|list) with a (map|list)"),
            Kind.of("InterpolationKeyError.*Error resolving key", "leads above the root"),
            Kind.of("InterpolationKeyError.*Interpolation key", "^key '.*' not found"),
            Kind.of("ConfigKeyError.*not in '", "^key '.*' not in '"),
            Kind.of("KeyValidationError.*is incompatible with", "^key '.*' is no (INT|FLOAT|BOOL|STR|EnumOf)"),
            Kind.of("ValidationError.*could not be converted to Integer", "cannot convert .* to INT"),
            Kind.of("ValidationError.*could not be converted to Float", "cannot convert .* to FLOAT"),
            Kind.of("ValidationError.*could not be converted to Path", "cannot convert .* to PATH"),
            Kind.of("ValidationError.*is not a valid bool", "cannot convert .* to BOOL"),
            Kind.of("ValidationError.*Cannot convert '.*' to string", "cannot convert a (map|list) to STR"),
            Kind.of("ValidationError.*(expected one of|is not a valid input for)", "cannot convert .* to EnumOf"),
            Kind.of("ValidationError.*to Union\\[|ValidationError.*type hint 'Union", "cannot convert .* to UnionOf"),
            Kind.of("ValidationError.*incompatible with type hint 'int'", "cannot convert .* to INT"),
            Kind.of("ValidationError.*incompatible with type hint 'float'", "cannot convert .* to FLOAT"),
            Kind.of("ValidationError.*incompatible with type hint 'bool'", "cannot convert .* to BOOL"),
            Kind.of("ValidationError.*incompatible with type hint 'str'", "cannot convert .* to STR"),
            Kind.of("ValidationError.*Cannot assign .* to Dict\\[", "expected a map"),
            Kind.of("ValidationError.*is not Optional", "is not optional"),
            Kind.of("ValidationError.*is not a ListConfig, list or tuple", "expected a list"),
            Kind.of("ValidationError.*is not a subclass of", "^(a plain map|a list|a [A-Z]\\w*|null|'.*') is not a"),
            Kind.of("ConfigTypeError.*does not support deletion", "typed config cannot be deleted"));

    private static final List<Kind> KINDS = List.of(
            Kind.of("Cannot find primary config", "cannot find primary config"),
            Kind.of("Could not find '", "could not find '"),
            Kind.of("Could not load '", "could not load config"),
            Kind.of("You must specify", "you must specify"),
            Kind.of("Multiple values for", "multiple values for"),
            Kind.of("appears more than once", "appears more than once"),
            Kind.of("force-add of config groups", "force-add of config groups"),
            Kind.of("override must be a string or a list|'\\w+' is not iterable", "the option of group"),
            Kind.of("deletion value must be a string", "the option to delete from group"),
            Kind.of(
                    "^In '.*Could not override|Did you mean to override|No match in the defaults list\\.",
                    "could not override .* not in the defaults list"),
            Kind.of("Could not delete '", "could not delete .* no match in the defaults list"),
            Kind.of("Could not override", "could not override .* there is no key|not in '"),
            Kind.of("Could not append to config list", "which is not a list but"),
            Kind.of("Could not append", "could not append to the config"),
            Kind.of("hydra\\.aliases must be a mapping", "hydra\\.aliases must be a map"),
            Kind.of("hydra\\.aliases can only be defined", "hydra\\.aliases can only be defined"),
            Kind.of("literal string targets", "literal string targets"),
            Kind.of("Invalid override alias.*(operator|Duplicate|nonempty)", "operator|duplicate|nonempty"),
            Kind.of("Invalid override alias", "in a key"),
            Kind.of("requires a value for", "requires a value"),
            Kind.of("delete from config. The value", "could not delete from the config: the value"),
            Kind.of("delete from config.*does not exist", "could not delete from the config: .* does not exist"),
            Kind.of("list indices must be integers", "elements of a list cannot be deleted"),
            Kind.of("Ambiguous value", "ambiguous value"),
            Kind.of("requires --multirun", "requires --multirun"),
            Kind.of("Sweeping over", "sweeping over"),
            Kind.of("looks like a config group override", "looks like the choice of a group"),
            Kind.of("Duplicate _self_", "duplicate _self_"),
            Kind.of("_self_@PACKAGE", "_self_ cannot have a package"),
            Kind.of("Expected header format", "names no package"),
            Kind.of("deprecated interpolation form", "refers to the defaults list by position"),
            Kind.of("Error resolving interpolation", "cannot resolve the interpolation"),
            Kind.of("not supported in options list", "interpolations are not supported in a list of options"),
            Kind.of("not allowed in the subtree", "override entries are not allowed below"),
            Kind.of("is defined before", "overrides must be at the end"),
            Kind.of("Invalid defaults list", "invalid defaults list"),
            Kind.of("Parent traversal|Backslash", "is not a path of a config"),
            Kind.of("keywords cannot be combined", "cannot be combined"),
            Kind.of("Unsupported keyword", "unknown keyword"),
            Kind.of("Invalid Defaults List override", "could not override .* not in the defaults list"),
            Kind.of("Missing group name", "missing group name"),
            Kind.of("Too many keys", "too many keys in one entry"),
            Kind.of("Unsupported type in defaults", "unsupported entry in the defaults list"),
            Kind.of("Unsupported item value in defaults", "unsupported option"),
            Kind.of("does not support sweep type : INTERVAL", "interval"),
            Kind.of("range\\(\\) arg 3 must not be zero|Invalid range values", "range"),
            Kind.of("Unexpected type annotation", "choice|range|sweep"),
            Kind.of("Missing ConfigDefault", "not for a config"),
            Kind.of("maximum recursion depth", "defaults cycle"),
            Kind.of("must be a DictConfig", "must be a map, found a list"),
            Kind.of("searchpath must be a list", "must be a list of strings"),
            Kind.of("Overriding hydra.searchpath", "can only be set in the primary config"));

    /** Messages without the cause in the first line. */
    private static final List<Kind> FIRST_LINES = List.of(
            Kind.of("^Could not (override|delete)", "could not (override|delete)|looks like the choice of a group"),
            Kind.of("^Error merging override", "could not|cannot|has \\d+ elements|is not a|there is no"),
            Kind.of("Unsupported config file extension", "cannot find primary config|could not"));

    private ErrorKinds() {}

    /** Compares the kind with a message of Hydra 1.4, recorded up to its first line. */
    static Outcome compareFirstLine(LocatedJson recorded, StageException ours) {
        String message = recorded.get("message").asString();
        String what = ours.problems().get(0).what();
        boolean same = FIRST_LINES.stream()
                .anyMatch(kind -> kind.hydra().matcher(message).find()
                        && kind.ours().matcher(what).find());
        return same ? Outcome.PASSED : compare(recorded, ours);
    }

    static Outcome compare(LocatedJson recorded, StageException ours) {
        String type = recorded.get("class").asString();
        String message = recorded.get("message").asString();
        Problem first = ours.problems().get(0);
        if (type.equals("OverrideParseException")) {
            boolean parse = first.category().equals(OverrideParser.SYNTAX)
                    || first.category().equals(OverrideParser.MEANING);
            return parse ? Outcome.PASSED : Outcome.failed("expected a parse error, got " + ours.getMessage());
        }
        boolean merging = MERGING.matcher(message).find();
        String why = merging ? message + causes(recorded) : message;
        Optional<Kind> kind = (merging ? CAUSES : KINDS)
                .stream().filter(each -> each.hydra().matcher(why).find()).findFirst();
        if (kind.isEmpty() || !kind.get().ours().matcher(first.what()).find()) {
            return Outcome.failed("expected " + type + ": " + why + ", got " + ours.getMessage());
        }
        return notes(recorded, "available_options", first, "options")
                .or(() -> notes(recorded, "did_you_mean", first, "did you mean"))
                .map(Outcome::failed)
                .orElse(Outcome.PASSED);
    }

    /** Returns the recorded causes, each with its class and message. */
    private static String causes(LocatedJson recorded) {
        return recorded.find("causes").map(LocatedJson::items).orElse(List.of()).stream()
                .map(cause -> "\n" + cause.get("class").asString() + ": "
                        + cause.get("message").asString())
                .collect(Collectors.joining());
    }

    /**
     * Returns the differences between a recorded list and a note of the product; empty if there is none or nothing is
     * recorded.
     */
    private static Optional<String> notes(LocatedJson recorded, String field, Problem ours, String label) {
        if (!recorded.has(field)) {
            return Optional.empty();
        }
        TreeSet<String> expected = new TreeSet<>(recorded.get(field).asStrings());
        TreeSet<String> given = new TreeSet<>();
        ours.notes().stream()
                .filter(note -> note.label().equals(label))
                .forEach(note -> given.addAll(List.of(note.text().split(", "))));
        return expected.equals(given)
                ? Optional.empty()
                : Optional.of(field + ": expected " + expected + ", got " + given);
    }
}
