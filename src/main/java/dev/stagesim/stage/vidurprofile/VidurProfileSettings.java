package dev.stagesim.stage.vidurprofile;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import dev.stagesim.model.ModelCard;
import dev.stagesim.settings.EngineSettings;
import dev.stagesim.settings.ProfileSettings;

/** Settings of the stage {@code vidur_profile}. */
public record VidurProfileSettings(
        @Key("The model to profile.") ModelCard model,
        @Key("The device to profile it on.") HardwareCard hardware,
        @Key("How the bundle comes about.") ProfileSettings profile,
        @Key("Engine that is measured on this machine.") EngineSettings engine) {}
