package dev.stagesim.settings;

import dev.stagesim.model.Key;

/** Which figures of the framework profiling suite are taken: the section {@code suite}. */
public record SuiteSettings(
        @Key("Where the suite's table and its programs differ (batch, XLA, host functions): which of them to"
                        + " take. | table")
                Values values) {
    /** Sources of the figures that differ. */
    public enum Values {
        TABLE, // The suite's table.
        PROGRAM // The programs that the entries stand for.
    }
}
