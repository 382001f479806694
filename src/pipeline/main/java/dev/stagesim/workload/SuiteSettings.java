package dev.stagesim.workload;

import dev.stagesim.model.Key;

/** Source of the workload values of the framework profiling suite: the section {@code suite}. */
public record SuiteSettings(
        @Key("Source of the values if the suite's table and programs differ (batch, XLA, host functions). | " + "table")
                Values values) {
    /** Source of values that differ. */
    public enum Values {
        TABLE, // The suite's table.
        PROGRAM // The programs of the suite.
    }
}
