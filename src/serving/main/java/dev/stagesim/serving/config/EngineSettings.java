package dev.stagesim.serving.config;

import dev.stagesim.model.Key;
import dev.stagesim.model.hardware.StepCard;

/**
 * The serving engine: its overheads, and the settings of the built-in engine, which {@code real.source=reference} runs and
 * {@code profile.profiler=reference} measures; the section {@code engine}.
 */
public record EngineSettings(
        @Key("Seed of the random weights. | 1 | 0..9223372036854775807") long seed,
        @Key("Maximum number of weights of the built-in engine's model, in millions. The error for a larger "
                        + "model shows how to scale it down. | 50 | 1e6 | 1..1000000000")
                int maxParametersM,
        @Key("Clock of the built-in engine. | monotonic") Clock clock,
        @Key("Minimum warm-up time; the warm-up continues until the times are stable. 0 for no warm-up. | 4 | "
                        + "s | 0..20")
                double warmUp,
        @Key("Engine overheads of a step.") StepCard step) {
    /** The clock of the built-in engine. */
    public enum Clock {
        MONOTONIC, // The machine's monotonic clock.
        PROCESSOR // CPU time of the engine's thread, which excludes the CPU time of other programs.
    }
}
