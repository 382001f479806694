package dev.stagesim.serving.config;

import dev.stagesim.model.Key;
import java.nio.file.Path;
import java.util.Optional;

/** The simulated side of a comparison: the section {@code sim}. */
public record SimInput(
        @Key("Directory of a finished run to compare instead of simulating. | null") Optional<Path> dir) {}
