package dev.stagesim.verify;

import java.util.List;
import java.util.Optional;

/**
 * Outcome of one case.
 *
 * @param part part of the corpus
 * @param id identity of the case within its part
 * @param differences places that differ; empty if the case passed
 * @param deviation documented deviation by which the case passed
 */
public record CaseResult(String part, String id, List<Difference> differences, Optional<Deviation> deviation) {
    public CaseResult {
        differences = List.copyOf(differences);
    }

    public static CaseResult passed(String part, String id) {
        return new CaseResult(part, id, List.of(), Optional.empty());
    }

    /** Returns a case that passed if there are no differences. */
    public static CaseResult of(String part, String id, List<Difference> differences) {
        return new CaseResult(part, id, differences, Optional.empty());
    }

    public static CaseResult failed(String part, String id, String where, String expected, String actual) {
        return of(part, id, List.of(new Difference(where, expected, actual)));
    }

    /** Returns a case that passed by a documented deviation. */
    public static CaseResult deviates(String part, String id, Deviation deviation) {
        return new CaseResult(part, id, List.of(), Optional.of(deviation));
    }

    public boolean isPassed() {
        return differences.isEmpty();
    }

    /** Returns the differences on one line. */
    public String why() {
        StringBuilder out = new StringBuilder();
        for (Difference difference : differences) {
            out.append(out.isEmpty() ? "" : "; ").append(difference.describe());
        }
        return out.toString();
    }
}
