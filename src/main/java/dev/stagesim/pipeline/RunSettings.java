package dev.stagesim.pipeline;

import dev.stagesim.model.Key;

/** How a stage is run: the keys that every stage's command takes beside those of the stage; no part of a run's id. */
public record RunSettings(@Key("What a run may be expected to take. | {}") LimitSettings limits) {}
