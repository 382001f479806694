package dev.stagesim.config.interp;

import dev.stagesim.config.tree.Node;
import java.util.Optional;

/** The context of a resolver call. */
public final class ResolverCall {
    private final Evaluation evaluation;
    private final Cell cell;

    ResolverCall(Evaluation evaluation, Cell cell) {
        this.evaluation = evaluation;
        this.cell = cell;
    }

    /** Returns the path of the value being evaluated. */
    String path() {
        return cell.path();
    }

    /** Returns the map or list that contains the value being evaluated, as written. */
    public Datum.Section parent() {
        return new Datum.Section(container());
    }

    /** Returns the whole configuration, as written. */
    public Datum.Section root() {
        return new Datum.Section(cell.root());
    }

    /**
     * Looks up a key as an interpolation would. Leading dots are relative to the map of the value being evaluated.
     *
     * @return empty if the key does not exist or the path leads through a value without keys; the string {@code ???}
     *     for a mandatory value that is missing
     */
    public Optional<Datum> select(String key) {
        return evaluation.find(container(), key, false);
    }

    /** Like {@link #select}, but a missing mandatory value is an error. */
    Optional<Datum> selectGiven(String key) {
        return evaluation.find(container(), key, true);
    }

    /** Evaluates text as one typed argument of a resolver, with lists, maps and interpolations. */
    Datum decode(String text) {
        return evaluation.decode(text, cell);
    }

    /** Returns a section with the same parent as the value being evaluated. Strings in it may be interpolations. */
    Datum section(Node raw) {
        return evaluation.section(raw, container(), path());
    }

    /** Returns the absolute path of a key. */
    String absolute(String key) {
        return evaluation.absolute(container(), key);
    }

    /** Returns the text of a value when it is embedded in a string. */
    public String text(Datum value) {
        return evaluation.text(value);
    }

    /** Returns the value with all its contents evaluated. */
    Datum plain(Datum value) {
        return evaluation.plain(value);
    }

    /** Adds a warning for the user. */
    void warn(String message) {
        evaluation.warn(message);
    }

    private Cell container() {
        Cell parent = cell.parent();
        return parent == null ? cell : parent;
    }
}
