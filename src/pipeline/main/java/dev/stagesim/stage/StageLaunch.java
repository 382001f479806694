package dev.stagesim.stage;

import java.util.List;
import java.util.Optional;

/** Command-line properties of a stage. */
interface StageLaunch {
    /** Returns the artifact with the console output of the reference, for stages that write it. */
    default Optional<String> nativeLog() {
        return Optional.empty();
    }

    /** Returns the flags of the stage's command, each equivalent to an override. */
    default List<StageFlag> flags() {
        return List.of();
    }
}
