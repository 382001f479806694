package dev.stagesim.verify.hydra;

import dev.stagesim.config.grammar.OverrideParser;
import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.verify.hydra.InterpCases.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Compares the kind of an error with the kind of a recorded error. */
final class ErrorKinds {
    /** Patterns of the messages of one mistake in Hydra and in Stagesim. */
    private record Kind(Pattern hydra, Pattern ours) {}

    private static final LooseTable TABLE = LooseTable.resource(ErrorKinds.class, "error-kinds.csv");
    private static final List<Kind> CAUSES = kinds("cause");
    private static final List<Kind> KINDS = kinds("message");

    /** Messages without the cause in the first line. */
    private static final List<Kind> FIRST_LINES = kinds("first_line");

    /** Errors that only report that a merge failed. The rest of the message or a recorded cause has the reason. */
    private static final Pattern MERGING = Pattern.compile("Error merging override|raised while composing config");

    private ErrorKinds() {}

    private static List<Kind> kinds(String use) {
        return IntStream.range(0, TABLE.size())
                .filter(row -> TABLE.text(row, "use").equals(use))
                .mapToObj(row -> new Kind(pattern(row, "hydra"), pattern(row, "product")))
                .toList();
    }

    private static Pattern pattern(int row, String column) {
        return Pattern.compile(TABLE.text(row, column), Pattern.DOTALL);
    }

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
