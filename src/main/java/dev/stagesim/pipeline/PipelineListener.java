package dev.stagesim.pipeline;

import java.nio.file.Path;

/** Hears what the pipeline does; called from the threads that do it. */
public interface PipelineListener {
    /** Hears nothing. */
    PipelineListener NONE = new PipelineListener() {};

    /** A stage begins to work. */
    default void started(String stage, String runId) {}

    /** A run that was finished before is used again; told once per run. */
    default void reused(RunRef run) {}

    /** A stage is done and its run in place. */
    default void finished(RunRef run) {}

    /** How far a stage is; total is 0 when unknown. */
    default void progress(String stage, String what, long done, long total) {}

    /** Something a person should know; may be told again when a run that said it is used again. */
    default void warning(String stage, String message) {}

    /** Something that matters to a person now, such as the address of a server. */
    default void said(String stage, String message) {}

    /** Another process works on the same run. */
    default void waiting(String stage, String runId, Path dir) {}
}
