package dev.stagesim.pipeline;

import dev.stagesim.pipeline.store.RunRef;
import java.nio.file.Path;

/** Receives events of the pipeline. Called from the threads that cause the events. */
public interface PipelineListener {
    /** Ignores all events. */
    PipelineListener NONE = new PipelineListener() {};

    /** A stage starts to work. */
    default void started(String stage, String runId) {}

    /** A run that was finished before is reused. Reported once per run. */
    default void reused(RunRef run) {}

    /** A stage is done and its run is committed. */
    default void finished(RunRef run) {}

    /** Progress of a stage; total is 0 if unknown. */
    default void progress(String stage, String what, long done, long total) {}

    /** A warning for the user. A reused run has its warnings in its metadata. */
    default void warning(String stage, String message) {}

    /** A message that matters to the user now, such as the address of a server. */
    default void notice(String stage, String message) {}

    /** Another process works on this run. */
    default void waiting(String stage, String runId, Path dir) {}
}
