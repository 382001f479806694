package dev.stagesim.config.interp;

import dev.stagesim.config.grammar.ValueParser;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says why an interpolation has no value; where it stands is added on the way out. */
public final class InterpolationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What went wrong. */
    public enum Kind {
        SYNTAX, // The expression does not parse.
        KEY, // The key it refers to does not exist.
        MISSING, // The key it refers to is mandatory and has no value.
        RESOLVER, // There is no such resolver.
        RESOLUTION // A cycle, a wrong type, or a resolver that failed.
    }

    private final Kind kind;
    private final String hint;
    private final transient List<String> suggestions;
    private transient @Nullable Cell cell;

    private InterpolationException(Kind kind, String what, String hint, List<String> suggestions) {
        super(what);
        this.kind = kind;
        this.hint = hint;
        this.suggestions = List.copyOf(suggestions);
    }

    static InterpolationException of(Kind kind, String what) {
        return of(kind, what, List.of());
    }

    static InterpolationException of(Kind kind, String what, List<String> suggestions) {
        return new InterpolationException(kind, what, "", suggestions);
    }

    /** Faults of an expression's grammar. */
    static ValueParser.Fault in(String text) {
        return (at, what, hint) -> new InterpolationException(
                Kind.SYNTAX, what + ", at character " + (at + 1) + " of " + text, hint, List.of());
    }

    /** A failure inside a resolver that is the caller's fault, for example a wrong type of argument. */
    public static InterpolationException failed(String what) {
        return of(Kind.RESOLUTION, what);
    }

    public Kind kind() {
        return kind;
    }

    /** What to do about it; may be empty. */
    String hint() {
        return hint;
    }

    List<String> suggestions() {
        return suggestions;
    }

    /** The same failure seen from an expression that refers to the broken one. */
    InterpolationException seenFromOutside() {
        InterpolationException outer =
                kind == Kind.SYNTAX ? new InterpolationException(Kind.RESOLUTION, getMessage(), hint, List.of()) : this;
        outer.cell = cell;
        return outer;
    }

    /** Remembers the value at fault, the innermost one. */
    InterpolationException at(Cell where) {
        if (cell == null) {
            cell = where;
        }
        return this;
    }

    @Nullable
    Cell cell() {
        return cell;
    }

    @Override
    public String getMessage() {
        String message = super.getMessage();
        return message == null ? "" : message;
    }
}
