package dev.stagesim.workload;

import dev.stagesim.model.OpenVariants;
import java.nio.file.Path;
import java.util.Optional;

/** The section {@code workload}: requests, traces or layers to measure or simulate. One record per kind. */
@OpenVariants
public interface WorkloadSettings {
    /** Returns the finished run that supplies the workload, or empty if the pipeline must execute one. */
    default Optional<Path> dir() {
        return Optional.empty();
    }
}
