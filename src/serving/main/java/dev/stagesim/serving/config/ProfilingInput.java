package dev.stagesim.serving.config;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import java.nio.file.Path;
import java.util.Optional;

/** The profiling bundle of a simulation: the section {@code profiling}. */
public record ProfilingInput(
        @Key("Directory of a finished vidur_profile run; null to make one. | null")
                @OnlyIf("predictor.kind != tables | predictor.kind = tables needs no bundle")
                Optional<Path> root) {}
