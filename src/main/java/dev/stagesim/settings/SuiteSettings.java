package dev.stagesim.settings;

import dev.stagesim.model.Key;

/** Which figures of the framework profiling suite are taken: the section {@code suite}. */
public record SuiteSettings(
        @Key(
                        doc =
                                "Where the suite's table and its programs differ (batch, XLA, host functions): which of them"
                                        + " to take.",
                        def = "table")
                Values values) {
    /** Sources of the figures that differ. */
    public enum Values {
        /** The suite's table. */
        TABLE,
        /** The programs that the entries stand for. */
        PROGRAM
    }
}
