package dev.stagesim.stage.compare;

import java.util.List;
import java.util.Optional;

/**
 * A possible cause of the difference between the runs, with the evidence.
 *
 * @param id name in files
 * @param kind degree of certainty
 * @param title one sentence
 * @param evidence supporting data, with numbers
 * @param advice recommended action
 */
record Finding(String id, Kind kind, String title, List<String> evidence, String advice) {
    /** Degree of certainty. */
    enum Kind {
        /** A likely cause of the difference. */
        LIKELY("likely cause"),
        /** A possible cause of the difference. */
        POSSIBLE("possible cause"),
        /** A caveat for the reader of the values. */
        NOTE("note");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    static Optional<Finding> of(String id, Kind kind, String title, List<String> evidence, String advice) {
        return evidence.isEmpty() ? Optional.empty() : Optional.of(new Finding(id, kind, title, evidence, advice));
    }

    Finding {
        evidence = List.copyOf(evidence);
    }
}
