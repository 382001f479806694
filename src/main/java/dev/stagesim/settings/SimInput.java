package dev.stagesim.settings;

import dev.stagesim.model.Key;
import java.nio.file.Path;
import java.util.Optional;

/** Where the simulated side of a comparison comes from: the section {@code sim}. */
public record SimInput(
        @Key("Directory of a finished run to compare instead of simulating. | null") Optional<Path> dir) {}
