package dev.stagesim.verify.fidelity.corpus;

import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import java.util.Optional;

/** Finds cards by the name of their option. Returns empty if the option does not exist. */
public interface Cards {
    Optional<ModelCard> model(String option);

    Optional<HardwareCard> hardware(String option);

    Optional<StepCard> engine(String option);
}
