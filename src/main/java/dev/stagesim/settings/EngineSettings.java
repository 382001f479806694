package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.StepCard;

/**
 * The serving engine: what it adds to kernels, and how the built-in one is run, which {@code real.source=reference} runs and
 * {@code profile.profiler=reference} measures; the section {@code engine}.
 */
public record EngineSettings(
        @Key("Seed of the random weights. | 1 | 0..9223372036854775807") long seed,
        @Key("Largest model it runs, in millions of weights; for a greater card the error says how to scale it"
                        + " down. | 50 | 1e6 | 1..1000000000")
                int maxParametersM,
        @Key("Clock of all its times. | monotonic") Clock clock,
        @Key("Minimum warm-up before anything is measured, which continues until the times have settled; 0 for none."
                        + " | 4 | s | 0..20")
                double warmUp,
        @Key("What the engine adds to the kernels of a step.") StepCard step) {
    /** What the engine takes for the time. */
    public enum Clock {
        MONOTONIC, // The machine's monotonic clock.
        PROCESSOR // Processor time of the engine's thread: what other programs take of the processor does not count.
    }
}
