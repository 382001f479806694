package dev.stagesim.stage.vidurprofile;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.settings.EngineSettings;
import dev.stagesim.settings.ProfileSettings;

/** Settings of the stage {@code vidur_profile}. */
public record VidurProfileSettings(
        @Key(doc = "The model to profile.") ModelCard model,
        @Key(doc = "The device to profile it on.") HardwareCard hardware,
        @Key(doc = "How the bundle comes about.") ProfileSettings profile,
        @Key(doc = "Engine that is measured on this machine.") EngineSettings engine) {}
