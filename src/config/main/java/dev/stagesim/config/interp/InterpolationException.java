package dev.stagesim.config.interp;

import dev.stagesim.config.grammar.ValueParser;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reason why an interpolation has no value. The position is added while the exception propagates. */
public final class InterpolationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The kinds of failures. */
    public enum Kind {
        SYNTAX, // The expression does not parse.
        KEY, // The referenced key does not exist.
        MISSING, // The referenced key is mandatory and has no value.
        RESOLVER, // The resolver does not exist.
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

    /** Returns a factory for grammar errors of an expression. */
    static ValueParser.Fault in(String text) {
        return (at, what, hint) -> new InterpolationException(
                Kind.SYNTAX, what + ", at character " + (at + 1) + " of " + text, hint, List.of());
    }

    /** Returns a failure in a resolver that the user can fix, for example a wrong argument type. */
    public static InterpolationException failed(String what) {
        return of(Kind.RESOLUTION, what);
    }

    public Kind kind() {
        return kind;
    }

    /** Returns a hint for the user; may be empty. */
    String hint() {
        return hint;
    }

    List<String> suggestions() {
        return suggestions;
    }

    /** Returns this failure as reported for an expression that refers to the invalid value. */
    InterpolationException asReferenceFailure() {
        InterpolationException outer =
                kind == Kind.SYNTAX ? new InterpolationException(Kind.RESOLUTION, getMessage(), hint, List.of()) : this;
        outer.cell = cell;
        return outer;
    }

    /** Sets the cell with the invalid value, unless an inner cell is already set. */
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
