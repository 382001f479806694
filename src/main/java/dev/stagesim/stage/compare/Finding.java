package dev.stagesim.stage.compare;

import java.util.List;
import java.util.Optional;

/**
 * Something that may explain the gap between the sides, with the evidence.
 *
 * @param id name in files
 * @param kind how sure it is
 * @param title one sentence
 * @param evidence what in the data says so, with numbers
 * @param advice what to do about it
 */
record Finding(String id, Kind kind, String title, List<String> evidence, String advice) {
    /** How much a finding explains. */
    enum Kind {
        /** A likely cause of the gap. */
        LIKELY("likely cause"),
        /** A difference that may matter. */
        POSSIBLE("possible cause"),
        /** Something to know when reading the figures. */
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
