package dev.stagesim.stage;

import dev.stagesim.model.card.ModelCard;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Reads the published file of a model, such as {@code config.json} of Hugging Face, for the key {@code model.hf_config}. */
@FunctionalInterface
public interface ModelFileReader {
    /**
     * Returns the card of a model.
     *
     * @param name name of the model in results; empty to take it from the folder or the file
     */
    ModelCard read(Path file, Optional<String> name) throws IOException;
}
