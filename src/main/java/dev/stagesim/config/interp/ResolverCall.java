package dev.stagesim.config.interp;

import dev.stagesim.config.tree.Node;
import java.util.Optional;

/** What a resolver may know of the place where it is called. */
public final class ResolverCall {
    private final Evaluation evaluation;
    private final Cell cell;

    ResolverCall(Evaluation evaluation, Cell cell) {
        this.evaluation = evaluation;
        this.cell = cell;
    }

    /** Path of the value being evaluated. */
    public String path() {
        return cell.path();
    }

    /** The map or list that holds the value being evaluated, as written. */
    public Datum.Section parent() {
        return new Datum.Section(container());
    }

    /** The whole configuration, as written. */
    public Datum.Section root() {
        return new Datum.Section(cell.root());
    }

    /**
     * Looks a key up as an interpolation would, leading dots being relative to the value's own map.
     *
     * @return empty when there is no such key or a part of the path is no section; a mandatory value not given comes as
     *     the string {@code ???}
     */
    public Optional<Datum> select(String key) {
        return evaluation.find(container(), key, false);
    }

    /** Like {@link #select}, but a mandatory value not given is an error. */
    Optional<Datum> selectGiven(String key) {
        return evaluation.find(container(), key, true);
    }

    /** Evaluates text as one argument of a resolver: typed, with lists, maps and interpolations. */
    public Datum decode(String text) {
        return evaluation.decode(text, cell);
    }

    /** Makes a section that stands beside the value being evaluated; strings in it may be interpolations. */
    public Datum section(Node raw) {
        return evaluation.section(raw, container(), path());
    }

    /** Path of the section or value that a key leads to, dots resolved. */
    String absolute(String key) {
        return evaluation.absolute(container(), key);
    }

    /** Text of a value as it would be embedded in a string. */
    public String text(Datum value) {
        return evaluation.text(value);
    }

    /** The value with all that is in it evaluated. */
    public Datum plain(Datum value) {
        return evaluation.plain(value);
    }

    /** Tells the user something. */
    public void warn(String message) {
        evaluation.warn(message);
    }

    private Cell container() {
        Cell parent = cell.parent();
        return parent == null ? cell : parent;
    }
}
