package dev.stagesim.cli;

import dev.stagesim.config.ConfigEngine;
import dev.stagesim.io.json.JsonValue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntConsumer;

/** What {@code stage fidelity} runs. Implemented in the jar of {@code stage verify}, which the product does not need. */
public interface FidelityTool {
    /** Predictions of a corpus and how far off they are. */
    interface Report {
        /** The object that {@code --json} prints. */
        JsonValue json();

        /** The lines for people. */
        List<String> lines();

        /** Writes every prediction and a page into a directory. */
        void write(Path dir) throws IOException;
    }

    /**
     * Reads and predicts a corpus.
     *
     * @param cards has the model, hardware and engine cards
     * @param done hears how many rows are done
     */
    Report run(Path corpus, ConfigEngine cards, IntConsumer done) throws IOException;
}
