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

    /** Adds the first line that differs if two files are not equal. */
    public void lines(String file, String expected, String actual) {
        if (expected.equals(actual)) {
            return;
        }
        List<String> wanted = expected.lines().toList();
        List<String> ours = actual.lines().toList();
        int line = 0;
        while (line < wanted.size() && line < ours.size() && wanted.get(line).equals(ours.get(line))) {
            line++;
        }
        add(file + ":" + (line + 1), lineOrEnd(wanted, line), lineOrEnd(ours, line));
    }

    private static String lineOrEnd(List<String> lines, int line) {
        return line < lines.size() ? lines.get(line) : "end of file";
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
