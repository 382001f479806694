package dev.stagesim.stage.vidurprofile;

import dev.stagesim.model.Key;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.serving.config.ProfileSettings;

/** Settings of the stage {@code vidur_profile}. */
public record VidurProfileSettings(
        @Key("The model to profile.") ModelCard model,
        @Key("The device.") HardwareCard hardware,
        @Key("Source of the bundle.") ProfileSettings profile,
        @Key("Engine to measure on this machine.") EngineSettings engine) {}
