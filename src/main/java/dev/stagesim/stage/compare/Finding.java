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
    /** How much a finding explains. */
    enum Kind {
        /** A likely cause of the gap. */
        LIKELY("likely cause"),
        /** A difference that may matter. */
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
