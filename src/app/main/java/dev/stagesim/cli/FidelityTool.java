package dev.stagesim.cli;

import dev.stagesim.config.ConfigEngine;
import dev.stagesim.io.json.JsonValue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Implementation of {@code stage fidelity}. It is in the jar of {@code stage verify}, which the product does not need.
 */
public interface FidelityTool {
    /** Predictions of a corpus and their errors. */
    interface Report {
        /** Returns the object that {@code --json} prints. */
        JsonValue json();

        /** Returns the human-readable lines. */
        List<String> lines();

        /** Writes all predictions and a page into a directory. */
        void write(Path dir) throws IOException;
    }

    /**
     * Reads and predicts a corpus.
     *
     * @param cards engine with the model, hardware and engine cards
     * @param done receives the number of finished rows
     */
    Report run(Path corpus, ConfigEngine cards, IntConsumer done) throws IOException;
}
