package dev.stagesim.stage;

import java.util.List;
import java.util.Optional;

/** What the command line and the launcher need to know of a stage. */
public interface StageLaunch {
    /** The artifact with the lines that the reproduced tool prints itself, for stages that write one. */
    default Optional<String> nativeLog() {
        return Optional.empty();
    }

    /** Flags of the stage's command, each short for an override. */
    default List<StageFlag> flags() {
        return List.of();
    }
}
