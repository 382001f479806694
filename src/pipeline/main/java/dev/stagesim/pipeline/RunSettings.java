package dev.stagesim.pipeline;

import dev.stagesim.model.Key;

/** Keys that every stage's command accepts in addition to the stage's keys. They are not part of a run's id. */
public record RunSettings(@Key("Limits of the expected cost of a run. | {}") LimitSettings limits) {}
