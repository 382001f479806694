package dev.stagesim.io.measured;

import java.io.IOException;
import java.nio.file.Path;

/** One format of measurements: tells its files from others and reads them. */
abstract class ResultFormat {
    private final String name;
    private final String description;

    /**
     * @param name the value of {@code real.source} that selects it
     * @param description what its files are, for messages and the reference
     */
    ResultFormat(String name, String description) {
        this.name = name;
        this.description = description;
    }

    final String name() {
        return name;
    }

    final String describe() {
        return description;
    }

    /** Whether a file or directory looks like one of this format. */
    abstract boolean recognises(Glimpse file);

    /** Reads it; what is wrong with it is the user's error. */
    abstract Measurement read(Path file, ReadOptions options) throws IOException;
}
