package dev.stagesim.verify;

import dev.stagesim.io.json.LocatedJson;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Collects the differences of one case. */
public final class DifferenceList {
    private final List<Difference> found = new ArrayList<>();

    public void add(String where, String expected, String actual) {
        found.add(new Difference(where, expected, actual));
    }

    public void addAll(List<Difference> differences) {
        found.addAll(differences);
    }

    /** Adds a difference if two values are not equal, and returns true if they are. */
    public boolean same(String where, Object expected, Object actual) {
        boolean isEqual = expected.equals(actual);
        if (!isEqual) {
            add(where, expected.toString(), actual.toString());
        }
        return isEqual;
    }

    /** Adds a difference at the place of a recorded value if two values are not equal. */
    public boolean same(LocatedJson place, Object expected, Object actual) {
        return same(place.pointer(), expected, actual);
    }

    public boolean isEmpty() {
        return found.isEmpty();
    }

    public int size() {
        return found.size();
    }

    /** Returns the result of the case in a folder. */
    public CaseResult result(String part, Path folder) {
        return result(part, String.valueOf(folder.getFileName()));
    }

    public CaseResult result(String part, String id) {
        return CaseResult.of(part, id, found);
    }
}
